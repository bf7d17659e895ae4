package faults_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

func TestBatchWriteWithholdsTheLast(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 3)
	input := &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{"alpha": writes("a", "b"), "beta": writes("c")},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	transport.Next(faults.Unprocessed{Count: 2}, nil)
	output, err := client.BatchWriteItem(t.Context(), input)
	require.NoError(t, err)
	require.Equal(t, map[string][]types.WriteRequest{"alpha": writes("b"), "beta": writes("c")}, output.UnprocessedItems)

	var reached struct {
		RequestItems           map[string][]json.RawMessage
		ReturnConsumedCapacity string
	}
	db.decode(t, 0, &reached)
	require.Len(t, reached.RequestItems, 1)
	require.Len(t, reached.RequestItems["alpha"], 1)
	require.Equal(t, "TOTAL", reached.ReturnConsumedCapacity)
	require.Equal(t, map[string]int{"BatchWriteItem": 1, "Unprocessed": 1}, transport.Counts())

	output, err = client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: output.UnprocessedItems})
	require.NoError(t, err)
	require.Empty(t, output.UnprocessedItems)
}

func TestBatchGetKeepsTheOptionsOfWithheldKeys(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 3)
	transport.Next(faults.Unprocessed{Count: 1}, nil)
	output, err := client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
		"main": {Keys: keys("a", "b"), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("PK")},
	}})
	require.NoError(t, err)
	require.Equal(t, map[string]types.KeysAndAttributes{
		"main": {Keys: keys("b"), ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("PK")},
	}, output.UnprocessedKeys)

	var reached struct {
		RequestItems map[string]struct {
			Keys                 []json.RawMessage
			ConsistentRead       bool
			ProjectionExpression string
		}
	}
	db.decode(t, 0, &reached)
	require.Len(t, reached.RequestItems["main"].Keys, 1)
	require.True(t, reached.RequestItems["main"].ConsistentRead)
	require.Equal(t, "PK", reached.RequestItems["main"].ProjectionExpression)
}

func TestWithheldItemsJoinThoseOfTheEngine(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string][]types.WriteRequest{
		`{"UnprocessedItems":{"main":[{"PutRequest":{"Item":{"PK":{"S":"x"},"SK":{"S":"ITEM"}}}}]}}`: writes("x", "b"),
		`{"UnprocessedItems":{}}`:   writes("b"),
		`{"UnprocessedItems":null}`: writes("b"),
		`null`:                      writes("b"),
	} {
		client, transport, db := setup(t, faults.Plan{}, 1)
		db.replies = map[string]reply{"BatchWriteItem": {http.StatusOK, answer}}
		transport.Next(faults.Unprocessed{Count: 1}, nil)
		output, err := client.BatchWriteItem(t.Context(), batchWrite("a", "b"))
		require.NoError(t, err)
		require.Equal(t, map[string][]types.WriteRequest{"main": want}, output.UnprocessedItems)
	}
}

func TestUnreadableReplyIsAnError(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{`{`, `[]`, `{"UnprocessedItems":7}`, `{"UnprocessedItems":{"main":7}}`} {
		client, transport, db := setup(t, faults.Plan{}, 1)
		db.replies = map[string]reply{"BatchWriteItem": {http.StatusOK, answer}}
		transport.Next(faults.Unprocessed{Count: 1}, nil)
		_, err := client.BatchWriteItem(t.Context(), batchWrite("a", "b"))
		require.ErrorContains(t, err, "faults: decode")
	}
}

// TestReplyDescribesItsOwnBody looks below the SDK, which does not complain of a wrong checksum in every case.
func TestReplyDescribesItsOwnBody(t *testing.T) {
	t.Parallel()
	transport, err := faults.New(&engine{}, faults.Plan{})
	require.NoError(t, err)
	transport.Next(faults.Unprocessed{Count: 1}, nil)
	got, body := rawBatchWrite(t, transport)
	require.Equal(t, `{"UnprocessedItems":{"main":[{"n":2}]}}`, body)
	require.Equal(t, int64(len(body)), got.ContentLength)
	require.Equal(t, http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, got.Header)
}

func TestRefusalByTheEngineStaysAsItIs(t *testing.T) {
	t.Parallel()
	db := &engine{replies: map[string]reply{"BatchWriteItem": {http.StatusBadRequest, `{"__type":"x"}`}}}
	transport, err := faults.New(db, faults.Plan{})
	require.NoError(t, err)
	transport.Next(faults.Unprocessed{Count: 1}, nil)
	got, body := rawBatchWrite(t, transport)
	require.Equal(t, http.StatusBadRequest, got.StatusCode)
	require.Equal(t, `{"__type":"x"}`, body)
	require.NotEmpty(t, got.Header.Get("X-Amz-Crc32"))
}

func rawBatchWrite(t *testing.T, transport http.RoundTripper) (got *http.Response, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://dynamodb.test/",
		strings.NewReader(`{"RequestItems":{"main":[{"n":1},{"n":2}]}}`))
	require.NoError(t, err)
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810.BatchWriteItem")
	got, err = transport.RoundTrip(req)
	require.NoError(t, err)
	data, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.NoError(t, got.Body.Close())
	return got, string(data)
}

func TestOneItemIsAlwaysProcessed(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{Unprocessed: 1}, 1)
	for _, count := range []int{-1, 0, 2} {
		transport.Next(faults.Unprocessed{Count: count}, nil)
	}
	for names := []string{"a", "b"}; len(names) > 0; {
		output, err := client.BatchWriteItem(t.Context(), batchWrite(names...))
		require.NoError(t, err)
		require.Len(t, output.UnprocessedItems["main"], len(names)-1)
		names = names[:len(names)-1]
	}
	require.Equal(t, 3, transport.Pending())
}

// TestRandomUnprocessedLosesNothing repeats what was withheld until nothing is, as a caller does.
func TestRandomUnprocessedLosesNothing(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{Seed: 3, Unprocessed: 1}, 1)
	var names []string
	for i := range 25 {
		names = append(names, fmt.Sprintf("item%02d", i))
	}
	left := map[string][]types.WriteRequest{"alpha": writes(names[:10]...), "beta": writes(names[10:]...)}
	for len(left) > 0 {
		output, err := client.BatchWriteItem(t.Context(), &dynamodb.BatchWriteItemInput{RequestItems: left})
		require.NoError(t, err)
		left = output.UnprocessedItems
	}
	require.Positive(t, transport.Counts()["Unprocessed"])
	var written []string
	for i := range db.received() {
		written = append(written, writtenBy(t, db, i)...)
	}
	require.False(t, slices.IsSorted(written), "items are withheld from any place")
	slices.Sort(written)
	require.Equal(t, names, written)
}

// writtenBy returns the keys that one request wrote, tables in the order of their names.
func writtenBy(t *testing.T, db *engine, n int) []string {
	t.Helper()
	var reached struct {
		RequestItems map[string][]struct {
			PutRequest struct {
				Item struct{ PK struct{ S string } }
			}
		}
	}
	db.decode(t, n, &reached)
	var names []string
	for _, table := range []string{"alpha", "beta"} {
		for _, item := range reached.RequestItems[table] {
			names = append(names, item.PutRequest.Item.PK.S)
		}
	}
	return names
}

func batchWrite(names ...string) *dynamodb.BatchWriteItemInput {
	return &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{"main": writes(names...)}}
}

func writes(names ...string) []types.WriteRequest {
	var requests []types.WriteRequest
	for _, name := range names {
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: key(name)}})
	}
	return requests
}

func keys(names ...string) []map[string]types.AttributeValue {
	var list []map[string]types.AttributeValue
	for _, name := range names {
		list = append(list, key(name))
	}
	return list
}
