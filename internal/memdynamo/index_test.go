package memdynamo_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// indexed returns the table's partition keys of the index entries with a partition key, in the order of the index.
func (h *harness) indexed(g1pk string) []string {
	h.Helper()
	return texts(h.mustQuery(&dynamodb.QueryInput{
		IndexName: aws.String(indexName), KeyConditionExpression: aws.String("g1pk = :p"), ExpressionAttributeValues: attrs{":p": S(g1pk)},
	}).Items, "pk")
}

func inIndex(pk, g1pk, g1sk string) attrs {
	return with(key(pk, "s"), attrs{"g1pk": S(g1pk), "g1sk": S(g1sk)})
}

func TestIndexIsSparseAndOrdered(t *testing.T) {
	h := setup(t)
	h.put(inIndex("a", "G", "2"), inIndex("b", "G", "1"), key("c", "s"), with(key("d", "s"), attrs{"g1pk": S("G")}), inIndex("e", "H", "0"))
	require.Equal(t, []string{"b", "a"}, h.indexed("G"))
	out, err := h.client.Scan(h.ctx, &dynamodb.ScanInput{TableName: aws.String(tableName), IndexName: aws.String(indexName)})
	require.NoError(t, err)
	require.EqualValues(t, 3, out.Count)
}

func TestIndexFollowsWrites(t *testing.T) {
	h := setup(t)
	h.put(inIndex("p", "G", "1"))
	_, err := h.update("SET g1pk = :h", attrs{":h": S("H")}, nil, "")
	require.NoError(t, err)
	require.Empty(t, h.indexed("G"))
	require.Equal(t, []string{"p"}, h.indexed("H"))

	_, err = h.update("REMOVE g1sk", nil, nil, "")
	require.NoError(t, err)
	require.Empty(t, h.indexed("H"))

	h.put(inIndex("p", "I", "1"), inIndex("p", "J", "1"))
	require.Empty(t, h.indexed("I"), "an overwriting put moves the entry")
	require.Equal(t, []string{"p"}, h.indexed("J"))

	move := types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(tableName), Key: key("p", "s"), UpdateExpression: aws.String("SET g1pk = :k"),
		ExpressionAttributeValues: attrs{":k": S("K")},
	}}
	require.Error(t, h.transact(move, putIf(key("other", "s"), "attribute_exists(pk)")))
	require.Equal(t, []string{"p"}, h.indexed("J"), "a cancelled transaction leaves the index alone")
	require.NoError(t, h.transact(move, putIf(inIndex("q", "K", "0"), "")))
	require.Equal(t, []string{"q", "p"}, h.indexed("K"))

	_, err = h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: key("p", "s")})
	require.NoError(t, err)
	require.Equal(t, []string{"q"}, h.indexed("K"))
}

func TestIndexPagesAmongEqualKeys(t *testing.T) {
	h := setup(t)
	want := []string{}
	for i := range 7 {
		pk := fmt.Sprintf("u%d", i)
		h.put(inIndex(pk, "G", "same"))
		want = append(want, pk)
	}
	for _, forward := range []bool{true, false} {
		in := &dynamodb.QueryInput{
			IndexName: aws.String(indexName), KeyConditionExpression: aws.String("g1pk = :p AND g1sk = :s"),
			ExpressionAttributeValues: attrs{":p": S("G"), ":s": S("same")}, Limit: aws.Int32(2), ScanIndexForward: aws.Bool(forward),
		}
		got := []string{}
		for {
			out := h.mustQuery(in)
			got = append(got, texts(out.Items, "pk")...)
			if len(out.LastEvaluatedKey) == 0 {
				break
			}
			require.Len(t, out.LastEvaluatedKey, 4, "keys of the index and of the table")
			in.ExclusiveStartKey = out.LastEvaluatedKey
		}
		slices.Sort(got)
		require.Equal(t, want, got)
	}
}

func TestIndexProjections(t *testing.T) {
	h := setup(t, func(in *dynamodb.CreateTableInput) {
		in.GlobalSecondaryIndexes[0].Projection = &types.Projection{ProjectionType: "INCLUDE", NonKeyAttributes: []string{"shown"}}
	})
	item := with(inIndex("a", "G", "1"), attrs{"shown": S("x"), "hidden": S("y")})
	h.put(item)
	out := h.mustQuery(&dynamodb.QueryInput{
		IndexName: aws.String(indexName), KeyConditionExpression: aws.String("g1pk = :p"), ExpressionAttributeValues: attrs{":p": S("G")},
	})
	delete(item, "hidden")
	require.Equal(t, []attrs{item}, out.Items)
}

func TestIndexLag(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now, IndexLag: time.Second})
	h.put(inIndex("a", "G", "1"))
	require.Empty(t, h.indexed("G"))
	require.NotEmpty(t, h.get("a", "s"), "the table itself does not lag")

	now.Advance(600 * time.Millisecond)
	h.put(inIndex("a", "H", "1"))
	now.Advance(400 * time.Millisecond)
	require.Equal(t, []string{"a"}, h.indexed("G"), "the index is as the table was a second ago")
	require.Empty(t, h.indexed("H"))

	now.Advance(600 * time.Millisecond)
	require.Empty(t, h.indexed("G"))
	require.Equal(t, []string{"a"}, h.indexed("H"))

	h.put(inIndex("a", "I", "1"), inIndex("a", "J", "1"))
	now.Advance(time.Second)
	require.Empty(t, h.indexed("I"), "writes of one moment keep their order")
	require.Equal(t, []string{"a"}, h.indexed("J"))
}
