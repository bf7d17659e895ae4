package memdynamo_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func putIf(item attrs, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: aws.String(tableName), Item: item, ConditionExpression: optional(condition), ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	}}
}

func updateIf(pk, update, condition string, values attrs) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(tableName), Key: key(pk, "s"), UpdateExpression: &update, ConditionExpression: optional(condition),
		ExpressionAttributeValues: values, ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	}}
}

func deleteIf(pk, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: aws.String(tableName), Key: key(pk, "s"), ConditionExpression: optional(condition),
		ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	}}
}

func checkThat(pk, condition string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String(tableName), Key: key(pk, "s"), ConditionExpression: &condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	}}
}

func reasons(t *testing.T, err error) []types.CancellationReason {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
	require.Contains(t, cancelled.ErrorMessage(), "Transaction cancelled, please refer cancellation reasons")
	return cancelled.CancellationReasons
}

func TestTransactionCommits(t *testing.T) {
	h := setup(t)
	h.put(with(key("u", "s"), attrs{"v": N("1")}), key("d", "s"), with(key("c", "s"), attrs{"ok": S("y")}))
	require.NoError(t, h.transact(
		putIf(key("p", "s"), "attribute_not_exists(pk)"),
		updateIf("u", "SET v = v + :one", "v = :one", attrs{":one": N("1")}),
		updateIf("fresh", "SET v = :one", "", attrs{":one": N("1")}),
		deleteIf("d", "attribute_exists(pk)"),
		checkThat("c", "attribute_exists(ok)"),
	))
	require.Equal(t, key("p", "s"), h.get("p", "s"))
	require.Equal(t, N("2"), h.get("u", "s")["v"])
	require.Equal(t, N("1"), h.get("fresh", "s")["v"])
	require.Nil(t, h.get("d", "s"))
}

func TestTransactionCancels(t *testing.T) {
	h := setup(t)
	old := with(key("x", "s"), attrs{"v": S("old")})
	h.put(old, with(key("y", "s"), attrs{"v": S("old")}), with(key("z", "s"), attrs{"v": S("old")}))
	got := reasons(t, h.transact(
		putIf(key("n", "s"), ""),
		putIf(key("x", "s"), "attribute_not_exists(pk)"),
		deleteIf("y", "attribute_not_exists(pk)"),
		updateIf("z", "SET q = :q", "v = :q", attrs{":q": S("no")}),
		checkThat("absent", "attribute_exists(pk)"),
		updateIf("w", "SET v = v + :q", "", attrs{":q": N("1")}),
		deleteIf("none", ""),
	))
	var codes []string
	for _, reason := range got {
		codes = append(codes, aws.ToString(reason.Code))
	}
	require.Equal(t, "None ConditionalCheckFailed ConditionalCheckFailed ConditionalCheckFailed ConditionalCheckFailed ValidationError None",
		strings.Join(codes, " "))
	require.Equal(t, old, got[1].Item)
	require.Equal(t, with(key("y", "s"), attrs{"v": S("old")}), got[2].Item)
	require.Equal(t, with(key("z", "s"), attrs{"v": S("old")}), got[3].Item)
	require.Nil(t, got[4].Item)
	require.Contains(t, aws.ToString(got[5].Message), "does not exist in the item")
	require.Nil(t, h.get("n", "s"))
	require.Equal(t, old, h.get("x", "s"))
}

func TestTransactionAcrossTables(t *testing.T) {
	h := setup(t)
	h.create(func(in *dynamodb.CreateTableInput) { in.TableName = aws.String("others") })
	other := putIf(key("a", "s"), "attribute_exists(pk)")
	other.Put.TableName = aws.String("others")
	require.Len(t, reasons(t, h.transact(putIf(key("a", "s"), ""), other)), 2)
	require.Nil(t, h.get("a", "s"))
	other.Put.ConditionExpression = nil
	require.NoError(t, h.transact(putIf(key("a", "s"), ""), other), "the same key in another table is another item")
}

func TestInvalidTransactions(t *testing.T) {
	h := setup(t)
	for message, items := range map[string][]types.TransactWriteItem{
		"length between 1 and 100":   {},
		"multiple operations on one": {putIf(key("a", "s"), ""), updateIf("a", "REMOVE q", "", nil)},
		"multiple operations":        {putIf(key("a", "s"), ""), checkThat("a", "attribute_exists(pk)")},
		"can only contain one of":    {{Put: putIf(key("a", "s"), "").Put, Delete: deleteIf("b", "").Delete}},
		"should contain":             {{}},
		"Missing the key sk":         {putIf(attrs{"pk": S("a")}, "")},
		"Cannot update attribute pk": {updateIf("a", "REMOVE pk", "", nil)},
		"Syntax error":               {putIf(key("a", "s"), ""), checkThat("b", "pk =")},
		"4194304 bytes":              megabytes(12),
	} {
		_, err := h.client.TransactWriteItems(h.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items})
		requireCode(t, validation, err)
		require.ErrorContains(t, err, message)
	}
	require.NoError(t, h.transact(megabytes(10)...))
	missing := putIf(key("a", "s"), "")
	missing.Put.TableName = aws.String("missing")
	requireCode(t, "ResourceNotFoundException", h.transact(missing))

	var many []types.TransactWriteItem
	for i := range 101 {
		many = append(many, putIf(key(fmt.Sprint(i), "s"), ""))
	}
	requireCode(t, validation, h.transact(many...))
	require.NoError(t, h.transact(many[:100]...))
}

// megabytes is count puts of 390 KB each.
func megabytes(count int) []types.TransactWriteItem {
	var items []types.TransactWriteItem
	for i := range count {
		items = append(items, putIf(with(key(fmt.Sprint("big", i), "s"), attrs{"v": S(strings.Repeat("x", 390<<10))}), ""))
	}
	return items
}

func TestRequestTokens(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now})
	send := func(by string, condition string) error {
		_, err := h.client.TransactWriteItems(h.ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("token"),
			TransactItems: []types.TransactWriteItem{
				updateIf("c", "ADD n :n, m :m", condition, attrs{":n": N(by), ":m": N("1")}),
				putIf(with(key("p", "s"), attrs{"a": S("1"), "b": S("2")}), ""),
			},
		})
		return err
	}
	require.Error(t, send("1", "attribute_exists(pk)"))
	require.NoError(t, send("1", ""), "a cancelled transaction does not use its token up")
	for range 20 { // the SDK sends maps in random order
		require.NoError(t, send("1", ""))
	}
	require.Equal(t, N("1"), h.get("c", "s")["n"])
	requireCode(t, "IdempotentParameterMismatchException", send("2", ""))
	requireCode(t, "IdempotentParameterMismatchException", send("1", "attribute_exists(pk)"))

	now.Advance(10*time.Minute - time.Nanosecond)
	require.NoError(t, send("1", ""))
	require.Equal(t, N("1"), h.get("c", "s")["n"])
	now.Advance(time.Nanosecond)
	require.NoError(t, send("2", ""), "after ten minutes the token is forgotten")
	require.Equal(t, N("3"), h.get("c", "s")["n"])
}

func TestRepeatedTransactionPassesItsCondition(t *testing.T) {
	h := setup(t)
	in := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("token"), TransactItems: []types.TransactWriteItem{putIf(key("p", "s"), "attribute_not_exists(pk)")},
	}
	for range 2 {
		_, err := h.client.TransactWriteItems(h.ctx, in)
		require.NoError(t, err)
	}
	in.ClientRequestToken = aws.String(strings.Repeat("x", 37))
	_, err := h.client.TransactWriteItems(h.ctx, in)
	requireCode(t, validation, err)
}

func TestTransactGetItems(t *testing.T) {
	h := setup(t)
	h.put(with(key("a", "s"), attrs{"v": S("A"), "w": S("W")}), with(key("b", "s"), attrs{"v": S("B")}))
	get := func(pk, projection string) types.TransactGetItem {
		return types.TransactGetItem{
			Get: &types.Get{TableName: aws.String(tableName), Key: key(pk, "s"), ProjectionExpression: optional(projection)},
		}
	}
	out, err := h.client.TransactGetItems(h.ctx, &dynamodb.TransactGetItemsInput{
		TransactItems: []types.TransactGetItem{get("b", ""), get("none", ""), get("a", "v"), get("a", "w")},
	})
	require.NoError(t, err)
	require.Equal(t, []types.ItemResponse{
		{Item: with(key("b", "s"), attrs{"v": S("B")})}, {}, {Item: attrs{"v": S("A")}}, {Item: attrs{"w": S("W")}},
	}, out.Responses)

	for _, reads := range [][]types.TransactGetItem{{}, make([]types.TransactGetItem, 101), {get("", "")}, {get("a", "name")}} {
		for i := range reads {
			if reads[i].Get == nil {
				reads[i] = get(fmt.Sprint(i), "")
			}
		}
		_, err := h.client.TransactGetItems(h.ctx, &dynamodb.TransactGetItemsInput{TransactItems: reads})
		requireCode(t, validation, err)
	}
}
