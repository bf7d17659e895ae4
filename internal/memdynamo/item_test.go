package memdynamo_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

func (h *harness) tryPut(item attrs) error {
	_, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item})
	return err
}

func TestItemsRoundTrip(t *testing.T) {
	h := setup(t)
	item := with(key("a|é", "b\x00c"), attrs{
		"s": S("é<>&\u2028\"\\\n\x01"), "empty": S(""), "b": B(0, 1, 255), "noBytes": B(), "t": BOOL(true), "f": BOOL(false), "null": NULL(),
		"l": L(S("x"), L(), M(attrs{})), "m": M(attrs{"deep": M(attrs{"n": N("-1.5")})}), "ss": SS("b", "a"), "ns": NS("2", "10"),
		"bs": &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2}}}, "name with spaces.and.dots": S("x"),
	})
	h.put(item)
	got := h.get("a|é", "b\x00c")
	require.Equal(t, SS("a", "b"), got["ss"], "sets come back sorted")
	require.Equal(t, with(item, attrs{"ss": SS("a", "b")}), got)
	require.Nil(t, h.get("a", "other"))
}

func TestKeysDoNotRunTogether(t *testing.T) {
	h := setup(t)
	for _, k := range [][2]string{{"a", "bc"}, {"ab", "c"}, {"a\x00", "bc"}, {"a", "\x00bc"}, {"a\x00\x01b", "c"}, {"a", "\x01b\x00c"}} {
		require.Nil(t, h.get(k[0], k[1]))
		h.put(with(key(k[0], k[1]), attrs{"me": S(k[0] + "/" + k[1])}))
	}
	require.Equal(t, S("a\x00/bc"), h.get("a\x00", "bc")["me"])
}

func TestNumbersAreCanonical(t *testing.T) {
	h := setup(t, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[1].AttributeType = "N" })
	for in, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "007": "7", "1.50": "1.5", "+3": "3", "1e3": "1000", "1.5E-3": "0.0015", "-17e2": "-1700", ".5": "0.5",
		"100": "100", "12345678901234567890123456789012345678": "12345678901234567890123456789012345678",
		"0.00000000000000000000000000000000000000000000000000001": "0.00000000000000000000000000000000000000000000000000001",
	} {
		h.put(attrs{"pk": S("p"), "sk": N(in), "v": N(in)})
		out, err := h.client.GetItem(h.ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: attrs{"pk": S("p"), "sk": N(want)}})
		require.NoError(t, err)
		require.Equal(t, attrs{"pk": S("p"), "sk": N(want), "v": N(want)}, out.Item, in)
	}
	for in, message := range map[string]string{
		"": "numeric", "abc": "numeric", "NaN": "numeric", "Infinity": "numeric", "1 ": "numeric", " 1": "numeric", "1e": "numeric",
		"1.2.3": "numeric",
		"--1":   "numeric", "0x10": "numeric", "1_0": "numeric", ".": "numeric",
		"123456789012345678901234567890123456789": "38 significant digits",
		"1e126": "overflow", "11e125": "overflow", "-1e126": "overflow", "1e-131": "underflow", "0.9e-130": "underflow",
	} {
		err := h.tryPut(attrs{"pk": S("p"), "sk": N("1"), "v": N(in)})
		requireCode(t, validation, err)
		require.ErrorContains(t, err, message, in)
	}
}

func TestInvalidItems(t *testing.T) {
	h := setup(t)
	deep := M(attrs{})
	for range 33 {
		deep = M(attrs{"m": deep})
	}
	for message, item := range map[string]attrs{
		"cannot contain an empty string value. Key: pk": key("", "1"),
		"cannot contain an empty string value. Key: sk": key("a", ""),
		"Missing the key sk":                            {"pk": S("a")},
		"Type mismatch for key sk expected: S":          {"pk": S("a"), "sk": N("1")},
		"maximum size limit of 2048":                    key(strings.Repeat("k", 2049), "1"),
		"size limit of 1024":                            key("a", strings.Repeat("k", 1025)),
		"maximum allowed size":                          with(key("a", "1"), attrs{"v": S(strings.Repeat("x", 400<<10))}),
		"string set may not be empty":                   with(key("a", "1"), attrs{"v": SS()}),
		"number set may not be empty":                   with(key("a", "1"), attrs{"v": NS()}),
		"duplicates":                                    with(key("a", "1"), attrs{"v": SS("x", "x")}),
		"collection contains duplicates":                with(key("a", "1"), attrs{"v": NS("1", "1.0")}),
		"Expected: S Actual: N IndexName: GSI1":         with(key("a", "1"), attrs{"g1pk": N("1"), "g1sk": S("1")}),
		"IndexName: GSI1, IndexKey: g1pk":               with(key("a", "1"), attrs{"g1pk": S(""), "g1sk": S("1")}),
		"Nesting Levels":                                with(key("a", "1"), attrs{"v": deep}),
		"name must not be empty":                        with(key("a", "1"), attrs{"": S("x")}),
		"value of true":                                 with(key("a", "1"), attrs{"v": &types.AttributeValueMemberNULL{}}),
	} {
		err := h.tryPut(item)
		requireCode(t, validation, err)
		require.ErrorContains(t, err, message)
	}
	h.put(with(key(strings.Repeat("k", 2048), strings.Repeat("k", 1024)), attrs{"v": S(strings.Repeat("x", 390<<10))}))
}

func TestUpdateKeepsItemBelowLimit(t *testing.T) {
	h := setup(t)
	h.put(with(key("p", "s"), attrs{"v": S(strings.Repeat("x", 300<<10))}))
	_, err := h.update("SET w = :w", attrs{":w": S(strings.Repeat("y", 200<<10))}, nil, "")
	requireCode(t, validation, err)
	require.ErrorContains(t, err, "maximum allowed size")
}

func TestInvalidKeys(t *testing.T) {
	h := setup(t)
	for _, k := range []attrs{
		nil, {}, {"pk": S("a")}, with(key("a", "1"), attrs{"x": S("y")}), {"pk": S("a"), "x": S("y")}, {"pk": S("a"), "sk": N("1")}, key("", "1"),
	} {
		if k != nil {
			_, err := h.client.GetItem(h.ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: k})
			requireCode(t, validation, err)
			_, err = h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: k})
			requireCode(t, validation, err)
		}
	}
}

func TestConditionFailureReturnsOldItem(t *testing.T) {
	h := setup(t)
	old := with(key("p", "s"), attrs{"v": S("old")})
	h.put(old)
	condition, no := aws.String("v = :no"), attrs{":no": S("no")}
	for _, allOld := range []types.ReturnValuesOnConditionCheckFailure{"", "NONE", "ALL_OLD"} {
		_, putErr := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{
			TableName: aws.String(tableName), Item: key("p", "s"),
			ConditionExpression: condition, ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: allOld,
		})
		_, updateErr := h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String(tableName), Key: key("p", "s"), UpdateExpression: aws.String("SET w = :no"),
			ConditionExpression: condition, ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: allOld,
		})
		_, deleteErr := h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{
			TableName: aws.String(tableName), Key: key("p", "s"),
			ConditionExpression: condition, ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: allOld,
		})
		for _, err := range []error{putErr, updateErr, deleteErr} {
			var failed *types.ConditionalCheckFailedException
			require.ErrorAs(t, err, &failed)
			if allOld == "ALL_OLD" {
				require.Equal(t, old, failed.Item)
			} else {
				require.Nil(t, failed.Item)
			}
		}
	}
	require.Equal(t, old, h.get("p", "s"))

	_, err := h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("absent", "s"), UpdateExpression: aws.String("SET w = :no"),
		ConditionExpression: aws.String("attribute_exists(pk)"), ExpressionAttributeValues: no, ReturnValuesOnConditionCheckFailure: "ALL_OLD",
	})
	var failed *types.ConditionalCheckFailedException
	require.ErrorAs(t, err, &failed)
	require.Nil(t, failed.Item, "there was none")
	require.Nil(t, h.get("absent", "s"))
}

func TestProjection(t *testing.T) {
	h := setup(t)
	h.put(with(key("p", "s"), attrs{
		"m": M(attrs{"x": S("1"), "y": S("2"), "a.b": S("3")}), "l": L(S("a"), M(attrs{"k": N("1"), "j": N("2")}), S("c")), "z": S("z"),
		"size": N("1"),
	}))
	for expression, want := range map[string]attrs{
		"z":                    {"z": S("z")},
		"m.x, l[2], l[0], pk":  {"m": M(attrs{"x": S("1")}), "l": L(S("a"), S("c")), "pk": S("p")},
		"l[1].k":               {"l": L(M(attrs{"k": N("1")}))},
		"m.#ab":                {"m": M(attrs{"a.b": S("3")})},
		"#size":                {"size": N("1")},
		"nosuch, m.q, l[9], m": nil,
		"nosuch, m.q, l[9]":    {},
		"z.a, m[0]":            {},
	} {
		in := &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key("p", "s"), ProjectionExpression: aws.String(expression)}
		for ref, name := range map[string]string{"#ab": "a.b", "#size": "size"} {
			if strings.Contains(expression, ref) {
				in.ExpressionAttributeNames = map[string]string{ref: name}
			}
		}
		out, err := h.client.GetItem(h.ctx, in)
		if want == nil {
			requireCode(t, validation, err)
			continue
		}
		require.NoError(t, err, expression)
		require.Equal(t, want, out.Item, expression)
	}
	for _, expression := range []string{"", "name", "z,", "z, z", "m, m.x", "l[0], l.x", ":v", "z y", "#undefined"} {
		_, err := h.client.GetItem(h.ctx, &dynamodb.GetItemInput{
			TableName: aws.String(tableName), Key: key("p", "s"), ProjectionExpression: aws.String(expression),
		})
		requireCode(t, validation, err)
	}
}
