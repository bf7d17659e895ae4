package ratelimit_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdklimit "github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
)

// engine is a DynamoDB with one table, reached through faults.
type engine struct {
	db     *memdynamo.DB
	client *dynamodb.Client
	faults *faults.Transport
}

// newEngine returns an engine whose client retries without waiting, attempts times in all.
func newEngine(t testing.TB, table ratelimit.Table, plan faults.Plan, attempts int) *engine {
	t.Helper()
	db := memdynamo.New(memdynamo.Options{})
	transport, err := faults.New(db.Transport(), plan)
	require.NoError(t, err)
	e := &engine{db: db, faults: transport, client: db.Client(func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: transport}
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts = attempts
			o.RateLimiter = sdklimit.None
			o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})}
	createTable(t, db.Client(), table)
	db.ResetUsage()
	return e
}

func createTable(t testing.TB, client *dynamodb.Client, table ratelimit.Table) {
	t.Helper()
	if table.PartitionKey == "" {
		table.PartitionKey, table.SortKey = "PK", "SK"
	}
	in := &dynamodb.CreateTableInput{TableName: &table.Name, BillingMode: types.BillingModePayPerRequest}
	add := func(name string, kind types.KeyType) {
		in.KeySchema = append(in.KeySchema, types.KeySchemaElement{AttributeName: aws.String(name), KeyType: kind})
		in.AttributeDefinitions = append(in.AttributeDefinitions,
			types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS})
	}
	add(table.PartitionKey, types.KeyTypeHash)
	if table.SortKey != "" {
		add(table.SortKey, types.KeyTypeRange)
	}
	_, err := client.CreateTable(context.Background(), in)
	require.NoError(t, err)
}

// items returns everything in the table.
func (e *engine) items(t testing.TB) []item {
	t.Helper()
	out, err := e.db.Client().Scan(context.Background(), &dynamodb.ScanInput{TableName: aws.String(anyTable().Name)})
	require.NoError(t, err)
	return out.Items
}

// put stores an item as somebody else might.
func (e *engine) put(t testing.TB, it item) {
	t.Helper()
	_, err := e.db.Client().PutItem(context.Background(), &dynamodb.PutItemInput{TableName: aws.String(anyTable().Name), Item: it})
	require.NoError(t, err)
}

// remove deletes an item of a table with the default key.
func (e *engine) remove(t testing.TB, it item) {
	t.Helper()
	_, err := e.db.Client().DeleteItem(context.Background(), &dynamodb.DeleteItemInput{
		TableName: aws.String(anyTable().Name), Key: item{"PK": it["PK"], "SK": it["SK"]},
	})
	require.NoError(t, err)
}

// transact sends actions as one transaction. It returns the old items of those whose condition failed, by index, and false if the
// transaction failed.
func (e *engine) transact(t testing.TB, actions ...types.TransactWriteItem) (failed map[int]item, ok bool) {
	t.Helper()
	_, err := e.client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	if err == nil {
		return nil, true
	}
	var cancelled *types.TransactionCanceledException
	require.True(t, errors.As(err, &cancelled), "%v", err)
	failed = make(map[int]item)
	for i, reason := range cancelled.CancellationReasons {
		if aws.ToString(reason.Code) == "ConditionalCheckFailed" {
			failed[i] = reason.Item
		}
	}
	return failed, false
}

func s(text string) types.AttributeValue   { return &types.AttributeValueMemberS{Value: text} }
func n(number string) types.AttributeValue { return &types.AttributeValueMemberN{Value: number} }
