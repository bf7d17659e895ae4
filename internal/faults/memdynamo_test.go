package faults_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
)

// setupDatabase returns a client of a real engine, with the table "main", behind a Transport.
func setupDatabase(t *testing.T, plan faults.Plan, attempts int) (*dynamodb.Client, *faults.Transport) {
	t.Helper()
	db := memdynamo.New(memdynamo.Options{}).Transport()
	_, err := newClient(db, 1).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String("main"),
		BillingMode: types.BillingModePayPerRequest,
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
	})
	require.NoError(t, err)
	transport, err := faults.New(db, plan)
	require.NoError(t, err)
	return newClient(transport, attempts), transport
}

// add returns a transaction that adds 1 to a counter.
func add(name, token string) *dynamodb.TransactWriteItemsInput {
	return &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(token),
		TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName:                 aws.String("main"),
			Key:                       key(name),
			UpdateExpression:          aws.String("ADD #n :one"),
			ExpressionAttributeNames:  map[string]string{"#n": "n"},
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		}}},
	}
}

// counter reads what add has written.
func counter(t *testing.T, client *dynamodb.Client, name string) int {
	t.Helper()
	input := get(name)
	input.ConsistentRead = aws.Bool(true)
	output, err := client.GetItem(t.Context(), input)
	require.NoError(t, err)
	attribute, found := output.Item["n"].(*types.AttributeValueMemberN)
	if !found {
		return 0
	}
	n, err := strconv.Atoi(attribute.Value)
	require.NoError(t, err)
	return n
}

func TestRepeatedTransactionHappensOnce(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{
		faults.LoseReply{}, faults.LoseRequest{}, faults.Throttle{}, faults.Throttle{Account: true}, faults.Internal{},
	} {
		client, transport := setupDatabase(t, faults.Plan{}, 3)
		transport.Next(fault, faults.Ops("TransactWriteItems"))
		_, err := client.TransactWriteItems(t.Context(), add("a", uuid.NewString()))
		require.NoError(t, err, fault.Kind())
		require.Equal(t, 2, transport.Counts()["TransactWriteItems"], fault.Kind())
		require.Equal(t, 1, counter(t, client, "a"), fault.Kind())
	}
}

func TestConflictLeavesTheTableAlone(t *testing.T) {
	t.Parallel()
	for _, fault := range []faults.Fault{faults.Conflict{}, faults.PartConflict{}, faults.PartThrottle{}} {
		client, transport := setupDatabase(t, faults.Plan{}, 3)
		transport.Next(fault, nil)
		_, err := client.TransactWriteItems(t.Context(), add("a", uuid.NewString()))
		var cancelled *types.TransactionCanceledException
		require.ErrorAs(t, err, &cancelled)
		require.Equal(t, 1, transport.Counts()["TransactWriteItems"], "the SDK does not repeat it")
		require.Zero(t, counter(t, client, "a"))
	}
}

func TestConditionalWriteFailsOnItsOwnLostEffect(t *testing.T) {
	t.Parallel()
	client, transport := setupDatabase(t, faults.Plan{}, 3)
	transport.Next(faults.LoseReply{}, nil)
	input := put("a")
	input.ConditionExpression = aws.String("attribute_not_exists(PK)")
	_, err := client.PutItem(t.Context(), input)
	var failed *types.ConditionalCheckFailedException
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 2, transport.Counts()["PutItem"])
}

func TestBatchesUnderFaultsLoseNothing(t *testing.T) {
	t.Parallel()
	client, transport := setupDatabase(t, faults.Plan{Seed: 2, Unprocessed: 0.5, Throttle: 0.2, LoseReply: 0.2, MaxInRow: 2}, 3)
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprintf("item%02d", i))
	}
	for left := batchWrite(names...).RequestItems; len(left) > 0; {
		output, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: left})
		require.NoError(t, err)
		left = output.UnprocessedItems
	}
	read := 0
	for left := map[string]types.KeysAndAttributes{"main": {Keys: keys(names...), ConsistentRead: aws.Bool(true)}}; len(left) > 0; {
		output, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: left})
		require.NoError(t, err)
		read += len(output.Responses["main"])
		left = output.UnprocessedKeys
	}
	require.Equal(t, len(names), read)
	require.Positive(t, transport.Counts()["Unprocessed"])
}

// TestCountUnderContentionAndFaults has callers that repeat each transaction, with its token, until they know that it committed.
func TestCountUnderContentionAndFaults(t *testing.T) {
	t.Parallel()
	const callers, rounds = 8, 25
	client, transport := setupDatabase(t, faults.Plan{
		Seed: 1, Conflict: 0.1, PartConflict: 0.1, PartThrottle: 0.1, Throttle: 0.1, Internal: 0.1, LoseRequest: 0.1, LoseReply: 0.1,
		Only: faults.Ops("TransactWriteItems"),
	}, 2)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range rounds {
				for token := uuid.NewString(); ; {
					if _, err := client.TransactWriteItems(t.Context(), add("a", token)); err == nil {
						break
					}
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, callers*rounds, counter(t, client, "a"))
	require.Positive(t, transport.Counts()["LoseReply"])
}
