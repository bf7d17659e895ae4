package memdynamo_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

func putRequest(item attrs) types.WriteRequest {
	return types.WriteRequest{PutRequest: &types.PutRequest{Item: item}}
}

func deleteRequest(key attrs) types.WriteRequest {
	return types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: key}}
}

func (h *harness) batchWrite(writes ...types.WriteRequest) error {
	out, err := h.client.BatchWriteItem(h.ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: writes}})
	if err == nil {
		require.Empty(h, out.UnprocessedItems)
	}
	return err
}

func (h *harness) batchGet(keys types.KeysAndAttributes) (*dynamodb.BatchGetItemOutput, error) {
	return h.client.BatchGetItem(h.ctx, &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{tableName: keys}})
}

func TestBatches(t *testing.T) {
	h := setup(t)
	h.put(key("d", "s"))
	require.NoError(t, h.batchWrite(
		putRequest(with(key("a", "s"), attrs{"v": S("1")})), putRequest(with(key("b", "s"), attrs{"v": S("2")})),
		deleteRequest(key("d", "s")), deleteRequest(key("none", "s")),
	))
	out, err := h.batchGet(types.KeysAndAttributes{
		Keys: []attrs{key("a", "s"), key("b", "s"), key("d", "s")}, ProjectionExpression: aws.String("#p, v"),
		ExpressionAttributeNames: map[string]string{"#p": "pk"}, ConsistentRead: aws.Bool(true),
	})
	require.NoError(t, err)
	require.ElementsMatch(t, []attrs{{"pk": S("a"), "v": S("1")}, {"pk": S("b"), "v": S("2")}}, out.Responses[tableName])
	require.Empty(t, out.UnprocessedKeys)
}

func TestInvalidBatches(t *testing.T) {
	h := setup(t)
	var writes []types.WriteRequest
	var keys []attrs
	for i := range 101 {
		keys = append(keys, key(fmt.Sprint(i), "s"))
		writes = append(writes, putRequest(key(fmt.Sprint(i), "s")))
	}
	requireCode(t, validation, h.batchWrite(writes[:26]...))
	require.NoError(t, h.batchWrite(writes[:25]...))
	requireCode(t, validation, h.batchWrite(writes[0], writes[0]))
	requireCode(t, validation, h.batchWrite(writes[0], deleteRequest(key("0", "s"))))
	requireCode(t, validation, h.batchWrite())
	requireCode(t, validation, h.batchWrite(types.WriteRequest{}))
	requireCode(t, validation, h.batchWrite(types.WriteRequest{
		PutRequest: writes[0].PutRequest, DeleteRequest: deleteRequest(key("1", "s")).DeleteRequest,
	}))
	requireCode(t, validation, h.batchWrite(putRequest(key("new", "s")), putRequest(attrs{"pk": S("a")})))
	require.Nil(t, h.get("new", "s"), "an invalid batch writes nothing")

	for _, invalid := range []types.KeysAndAttributes{
		{Keys: keys}, {Keys: []attrs{keys[0], keys[0]}}, {Keys: []attrs{}}, {Keys: []attrs{{"pk": S("a")}}},
		{Keys: keys[:1], ProjectionExpression: aws.String("name")}, {Keys: keys[:1], AttributesToGet: []string{"pk"}},
	} {
		_, err := h.batchGet(invalid)
		requireCode(t, validation, err)
	}
	out, err := h.batchGet(types.KeysAndAttributes{Keys: keys[:100]})
	require.NoError(t, err)
	require.Len(t, out.Responses[tableName], 25)
}

func TestBatchGetLeavesWhatDoesNotFit(t *testing.T) {
	h := setup(t)
	request := types.KeysAndAttributes{
		ConsistentRead: aws.Bool(true), ProjectionExpression: aws.String("#p"), ExpressionAttributeNames: map[string]string{"#p": "pk"},
	}
	for i := range 45 {
		// Without the SDK, which takes its time for so much text under the race detector.
		status, _ := post(t, h.db, "DynamoDB_20120810.PutItem", fmt.Sprintf(
			`{"TableName":"things","Item":{"pk":{"S":"%d"},"sk":{"S":"s"},"v":{"S":"%s"}}}`, i, strings.Repeat("x", 390<<10)))
		require.Equal(t, http.StatusOK, status)
		request.Keys = append(request.Keys, key(fmt.Sprint(i), "s"))
	}
	out, err := h.batchGet(request)
	require.NoError(t, err)
	require.Len(t, out.Responses[tableName], 42, "16 MB of items, counted before the projection")
	left := out.UnprocessedKeys[tableName]
	require.Len(t, left.Keys, 3)
	out, err = h.batchGet(left)
	require.NoError(t, err)
	require.Len(t, out.Responses[tableName], 3)
	require.Len(t, out.Responses[tableName][0], 1, "the projection is part of what is left")
}
