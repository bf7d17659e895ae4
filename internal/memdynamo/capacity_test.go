package memdynamo_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// cost is what an answer states: the total, the table's own part and the index's.
type cost struct{ total, table, index float64 }

func costOf(t *testing.T, c *types.ConsumedCapacity) cost {
	t.Helper()
	require.NotNil(t, c)
	require.Equal(t, tableName, aws.ToString(c.TableName))
	out := cost{total: aws.ToFloat64(c.CapacityUnits), table: aws.ToFloat64(c.Table.CapacityUnits)}
	if ix, ok := c.GlobalSecondaryIndexes[indexName]; ok {
		out.index = aws.ToFloat64(ix.CapacityUnits)
	}
	return out
}

func kilobytes(n int) attrs { return attrs{"v": S(strings.Repeat("x", n<<10))} }

func (h *harness) putCost(item attrs) cost {
	h.Helper()
	out, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: item, ReturnConsumedCapacity: "INDEXES",
	})
	require.NoError(h, err)
	return costOf(h.T, out.ConsumedCapacity)
}

func (h *harness) updateCost(expression string, values attrs) cost {
	h.Helper()
	out, err := h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "s"), UpdateExpression: &expression, ExpressionAttributeValues: values,
		ReturnConsumedCapacity: "INDEXES",
	})
	require.NoError(h, err)
	return costOf(h.T, out.ConsumedCapacity)
}

func (h *harness) deleteCost(pk string) cost {
	h.Helper()
	out, err := h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(tableName), Key: key(pk, "s"), ReturnConsumedCapacity: "INDEXES",
	})
	require.NoError(h, err)
	return costOf(h.T, out.ConsumedCapacity)
}

func TestWriteCapacity(t *testing.T) {
	h := setup(t)
	require.Equal(t, cost{1, 1, 0}, h.putCost(with(key("a", "s"), attrs{"v": S(strings.Repeat("x", 1000))})))
	require.Equal(t, cost{2, 2, 0}, h.putCost(with(key("a", "s"), kilobytes(1))))
	require.Equal(t, cost{2, 2, 0}, h.putCost(key("a", "s")), "the larger of the old and the new item counts")
	require.Equal(t, cost{1, 1, 0}, h.deleteCost("a"))
	require.Equal(t, cost{1, 1, 0}, h.deleteCost("a"), "deleting nothing is not free")
}

func TestIndexWriteCapacity(t *testing.T) {
	h := setup(t)
	item := with(key("p", "s"), attrs{"g1pk": S("G"), "g1sk": S("1"), "v": S("x")})
	require.Equal(t, cost{2, 1, 1}, h.putCost(item), "a new entry")
	require.Equal(t, cost{1, 1, 0}, h.putCost(item), "nothing changed")
	require.Equal(t, cost{2, 1, 1}, h.updateCost("SET v = :v", attrs{":v": S("y")}), "a carried attribute changed")
	require.Equal(t, cost{3, 1, 2}, h.updateCost("SET g1sk = :v", attrs{":v": S("2")}), "another key is a delete and a put")
	require.Equal(t, cost{2, 1, 1}, h.updateCost("REMOVE g1sk", nil), "the entry is deleted")
	require.Equal(t, cost{1, 1, 0}, h.updateCost("SET v = :v", attrs{":v": S("z")}), "there is none")
	require.Equal(t, cost{2, 1, 1}, h.updateCost("SET g1sk = :v", attrs{":v": S("2")}))
	require.Equal(t, cost{2, 1, 1}, h.deleteCost("p"))
}

func TestKeysOnlyIndexWriteCapacity(t *testing.T) {
	h := setup(t, func(in *dynamodb.CreateTableInput) {
		in.GlobalSecondaryIndexes[0].Projection.ProjectionType = "KEYS_ONLY"
	})
	item := with(key("p", "s"), attrs{"g1pk": S("G"), "g1sk": S("1")}, kilobytes(3))
	require.Equal(t, cost{5, 4, 1}, h.putCost(item), "the entry is small")
	require.Equal(t, cost{4, 4, 0}, h.updateCost("SET w = :w", attrs{":w": S("x")}), "the index does not carry w")
}

func TestReadCapacity(t *testing.T) {
	h := setup(t)
	h.put(with(key("p", "1"), kilobytes(3)), with(key("p", "2"), kilobytes(2)), with(key("p", "3"), attrs{"g1pk": S("G"), "g1sk": S("1")}))
	get := func(sk string, consistent bool) float64 {
		out, err := h.client.GetItem(h.ctx, &dynamodb.GetItemInput{
			TableName: aws.String(tableName), Key: key("p", sk), ConsistentRead: aws.Bool(consistent), ReturnConsumedCapacity: "TOTAL",
			ProjectionExpression: aws.String("pk"),
		})
		require.NoError(t, err)
		require.Nil(t, out.ConsumedCapacity.Table)
		return aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	require.Equal(t, 0.5, get("1", false))
	require.Equal(t, 1.0, get("1", true))
	require.Equal(t, 0.5, get("absent", false))

	h.put(with(key("p", "4"), kilobytes(5)))
	require.Equal(t, 2.0, get("4", true), "a projection does not make it cheaper")

	query := func(in *dynamodb.QueryInput) cost {
		in.ReturnConsumedCapacity = "INDEXES"
		return costOf(t, h.mustQuery(in).ConsumedCapacity)
	}
	part := &dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :p AND sk <= :s"), ExpressionAttributeValues: attrs{":p": S("p"), ":s": S("3")},
	}
	require.Equal(t, cost{1, 1, 0}, query(part), "5 KB together are two units, halved")
	part.ConsistentRead, part.FilterExpression = aws.Bool(true), aws.String("attribute_exists(nosuch)")
	require.Equal(t, cost{2, 2, 0}, query(part), "what the filter drops is read all the same")
	part.ExpressionAttributeValues[":p"] = S("nobody")
	require.Equal(t, cost{1, 1, 0}, query(part))
	index := &dynamodb.QueryInput{
		IndexName: aws.String(indexName), KeyConditionExpression: aws.String("g1pk = :p"), ExpressionAttributeValues: attrs{":p": S("G")},
	}
	require.Equal(t, cost{0.5, 0, 0.5}, query(index))
}

func TestBatchCapacity(t *testing.T) {
	h := setup(t)
	written, err := h.client.BatchWriteItem(h.ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{tableName: {
			putRequest(with(key("a", "s"), kilobytes(1))), putRequest(with(key("b", "s"), attrs{"g1pk": S("G"), "g1sk": S("1")})),
			deleteRequest(key("c", "s")),
		}},
		ReturnConsumedCapacity: "INDEXES",
	})
	require.NoError(t, err)
	require.Len(t, written.ConsumedCapacity, 1)
	require.Equal(t, cost{5, 4, 1}, costOf(t, &written.ConsumedCapacity[0]))
	read, err := h.client.BatchGetItem(h.ctx, &dynamodb.BatchGetItemInput{
		RequestItems:           map[string]types.KeysAndAttributes{tableName: {Keys: []attrs{key("a", "s"), key("b", "s"), key("c", "s")}}},
		ReturnConsumedCapacity: "INDEXES",
	})
	require.NoError(t, err)
	require.Equal(t, cost{1.5, 1.5, 0}, costOf(t, &read.ConsumedCapacity[0]), "each item is rounded by itself")
}

func TestTransactionCapacity(t *testing.T) {
	h := setup(t)
	h.put(with(key("big", "s"), kilobytes(5)))
	in := &dynamodb.TransactWriteItemsInput{
		ReturnConsumedCapacity: "INDEXES", ClientRequestToken: aws.String("t"),
		TransactItems: []types.TransactWriteItem{
			putIf(inIndex("a", "G", "1"), ""), updateIf("b", "SET v = :v", "", attrs{":v": S("x")}), checkThat("big", "attribute_exists(pk)"),
		},
	}
	out, err := h.client.TransactWriteItems(h.ctx, in)
	require.NoError(t, err)
	require.Len(t, out.ConsumedCapacity, 1)
	require.Equal(t, cost{17, 16, 1}, costOf(t, &out.ConsumedCapacity[0]), "2 + 2 + 2 × 6 for the table, the index as ever")
	require.Equal(t, 17.0, aws.ToFloat64(out.ConsumedCapacity[0].WriteCapacityUnits))

	out, err = h.client.TransactWriteItems(h.ctx, in)
	require.NoError(t, err)
	require.Equal(t, cost{8, 8, 0}, costOf(t, &out.ConsumedCapacity[0]), "a repetition reads: 2 + 2 + 2 × 2")
	require.Equal(t, 8.0, aws.ToFloat64(out.ConsumedCapacity[0].ReadCapacityUnits))
}

func TestUsageCountsFailedRequestsToo(t *testing.T) {
	h := setup(t)
	h.put(with(key("big", "s"), kilobytes(2)))
	h.db.ResetUsage()
	require.Equal(t, memdynamo.Usage{Requests: map[string]int{}}, h.db.Usage())

	_, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{
		TableName: aws.String(tableName), Item: key("big", "s"), ConditionExpression: aws.String("attribute_not_exists(pk)"),
	})
	require.Error(t, err)
	before := h.db.Usage()
	require.Equal(t, memdynamo.Usage{Requests: map[string]int{"PutItem": 1}, WriteUnits: 3}, before)

	require.Error(t, h.transact(putIf(key("a", "s"), ""), checkThat("big", "attribute_not_exists(pk)")))
	h.get("big", "s")
	require.Equal(t, memdynamo.Usage{
		Requests: map[string]int{"PutItem": 1, "TransactWriteItems": 1, "GetItem": 1}, WriteUnits: 3 + 2 + 6, ReadUnits: 0.5,
	}, h.db.Usage())

	require.Equal(t, map[string]int{"PutItem": 1}, before.Requests, "a count that was taken does not go on")
	require.Error(t, h.tryPut(attrs{"pk": S("x")}))
	require.Equal(t, 11.0, h.db.Usage().WriteUnits, "an invalid request costs nothing")
}
