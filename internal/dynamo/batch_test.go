package dynamo_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// halves answers at most seven keys of each batch, with items that are their keys; a key that begins with "no" has none.
type halves struct{ batches []int }

func (h *halves) BatchGetItem(_ context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	asked := in.RequestItems["users"]
	h.batches = append(h.batches, len(asked.Keys))
	n := min(7, len(asked.Keys))
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]dynamo.Item{}}
	for _, key := range asked.Keys[:n] {
		if key["PK"].(*types.AttributeValueMemberS).Value[:2] != "no" {
			out.Responses["users"] = append(out.Responses["users"], key)
		}
	}
	if n < len(asked.Keys) {
		out.UnprocessedKeys = map[string]types.KeysAndAttributes{"users": {Keys: asked.Keys[n:]}}
	}
	return out, nil
}

func TestBatchGet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		key := func(name string) dynamo.Item { return dynamo.Item{"PK": &types.AttributeValueMemberS{Value: name}} }
		var keys []dynamo.Item
		for i := range 120 {
			keys = append(keys, key(fmt.Sprintf("item %d", i)), key("none"), key("item 0"))
		}
		h := &halves{}
		items, err := dynamo.BatchGet(t.Context(), h, "users", keys)
		require.NoError(t, err)
		require.Len(t, items, 120)
		require.Equal(t, 100, h.batches[0], "the most that a batch takes")
		require.Len(t, h.batches, 15+3)

		items, err = dynamo.BatchGet(t.Context(), h, "users", nil)
		require.NoError(t, err)
		require.Empty(t, items)
	})
}
