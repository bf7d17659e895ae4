package suite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

type (
	item  = map[string]types.AttributeValue
	write = types.TransactWriteItem
)

// differentialSteps is how many random requests each seed sends to both engines.
const (
	differentialSteps = 400
	differentialSeeds = 5
)

// TestDifferential sends the same random requests to the in-memory engine and to an independent one, and holds their answers
// and their tables to each other.
func TestDifferential(t *testing.T) {
	t.Parallel()
	if !Independent() {
		t.Skipf("%s names no engine to compare with", EndpointVariable)
	}
	for seed := range uint64(differentialSeeds) {
		t.Run(fmt.Sprint("seed_", seed), func(t *testing.T) {
			t.Parallel()
			clock := NewClock()
			other := newEngine(clock, options{})
			ours, theirs := memdynamo.New(memdynamo.Options{}).Client(), other.client(other.transport)
			name := newTable(t, theirs)
			_, err := ours.CreateTable(t.Context(), userstore.TableDefinition(name))
			require.NoError(t, err)
			random := rand.New(rand.NewPCG(seed, 1))
			committed, canceled := 0, 0
			for step := range differentialSteps {
				request := randomRequest(random, name)
				answer := request(t, ours)
				require.Equal(t, answer, request(t, theirs), "step %d", step)
				switch {
				case answer == "done":
					committed++
				case strings.HasPrefix(answer, "canceled"):
					canceled++
				}
			}
			require.Greater(t, committed, 10, "the requests are of all kinds")
			require.Greater(t, canceled, 10, "the requests are of all kinds")
		})
	}
}

// randomRequest makes a request that may be sent to several engines; it returns what the answer says, errors too.
func randomRequest(r *rand.Rand, table string) func(*testing.T, *dynamodb.Client) string {
	switch r.IntN(5) {
	case 0:
		key := randomKey(r)
		return func(t *testing.T, c *dynamodb.Client) string {
			out, err := c.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
			if err != nil {
				return describe(err)
			}
			return text(out.Item)
		}
	case 1:
		from, forward := randomSK(r), r.IntN(2) == 0
		return func(t *testing.T, c *dynamodb.Client) string {
			out, err := c.Query(t.Context(), &dynamodb.QueryInput{
				TableName: &table, ConsistentRead: aws.Bool(true), ScanIndexForward: &forward, Limit: aws.Int32(3),
				KeyConditionExpression:    aws.String("PK = :pk AND SK >= :from"),
				ExpressionAttributeValues: item{":pk": &types.AttributeValueMemberS{Value: "p"}, ":from": from},
			})
			if err != nil {
				return describe(err)
			}
			answer := fmt.Sprint(out.Count, out.ScannedCount, text(out.LastEvaluatedKey))
			for _, i := range out.Items {
				answer += text(i)
			}
			return answer
		}
	}
	writes := make([]write, 1+r.IntN(3))
	for i := range writes {
		writes[i] = randomWrite(r, table)
	}
	return func(t *testing.T, c *dynamodb.Client) string {
		_, err := c.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: writes})
		return describe(err)
	}
}

func randomSK(r *rand.Rand) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: fmt.Sprint("s", r.IntN(6))}
}

func randomKey(r *rand.Rand) item {
	return item{"PK": &types.AttributeValueMemberS{Value: "p"}, "SK": randomSK(r)}
}

func number(n int) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }

// randomWrite is one of the actions that the library sends, under one of the conditions that it uses.
func randomWrite(r *rand.Rand, table string) write {
	conditions := []string{"attribute_not_exists(PK)", "attribute_exists(PK)", "#n = :n", "#n < :n AND attribute_not_exists(x)", "(#n > :n) OR (x = :n)"}
	condition := conditions[r.IntN(len(conditions))]
	values, names := item{":n": number(r.IntN(4))}, map[string]string{"#n": "seq"}
	if !slices.Contains(conditions[2:], condition) {
		values, names = nil, nil
	}
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	key := randomKey(r)
	switch r.IntN(4) {
	case 0:
		put := item{"PK": key["PK"], "SK": key["SK"], "seq": number(r.IntN(4)), "GSI1PK": key["SK"], "GSI1SK": key["PK"]}
		return write{Put: &types.Put{TableName: &table, Item: put, ConditionExpression: &condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	case 1:
		return write{Delete: &types.Delete{TableName: &table, Key: key, ConditionExpression: &condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	case 2:
		return write{ConditionCheck: &types.ConditionCheck{TableName: &table, Key: key, ConditionExpression: &condition,
			ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: old}}
	}
	changes := []string{"SET #n = :n", "SET x = :n REMOVE y", "SET y = if_not_exists(y, :n), x = if_not_exists(#n, :n)", "SET #n = #n + :n", "REMOVE x, #n"}
	change := changes[r.IntN(len(changes))]
	update := &types.Update{TableName: &table, Key: key, UpdateExpression: &change, ReturnValuesOnConditionCheckFailure: old,
		ConditionExpression: aws.String("attribute_exists(PK) AND (#n = :n OR #n <> :n)"), ExpressionAttributeNames: map[string]string{"#n": "seq"},
		ExpressionAttributeValues: item{":n": number(r.IntN(4))}}
	return write{Update: update}
}

// describe is what an error says to the library: its code, and the reasons of a cancelled transaction with their items.
func describe(err error) string {
	if err == nil {
		return "done"
	}
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		answer := "canceled"
		for _, reason := range canceled.CancellationReasons {
			answer += " " + aws.ToString(reason.Code) + text(reason.Item)
		}
		return answer
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return err.Error()
}

// text is an item in a fixed form.
func text(i item) string {
	names := make([]string, 0, len(i))
	for name := range i {
		names = append(names, name)
	}
	slices.Sort(names)
	answer := "{"
	for _, name := range names {
		switch v := i[name].(type) {
		case *types.AttributeValueMemberS:
			answer += name + "=" + v.Value + " "
		case *types.AttributeValueMemberN:
			answer += name + "#" + v.Value + " "
		default:
			answer += fmt.Sprintf("%s?%T ", name, v)
		}
	}
	return answer + "}"
}
