package memdynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

func (h *harness) update(expression string, values attrs, names map[string]string, returns types.ReturnValue) (attrs, error) {
	out, err := h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("p", "s"), UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values, ReturnValues: returns,
	})
	if err != nil {
		return nil, err
	}
	return out.Attributes, nil
}

type updateCase struct {
	before     attrs
	expression string
	values     attrs
	names      map[string]string
	after      attrs
}

func setUpdates() map[string]updateCase {
	return map[string]updateCase{
		"set_and_count": {
			attrs{"v": N("4")},
			"SET a = :x, v = v + :one", attrs{":x": S("q"), ":one": N("1")}, nil,
			attrs{"a": S("q"), "v": N("5")},
		},
		"without_blanks": {
			attrs{"v": N("4")},
			"SET a=:x,v=v+:one", attrs{":x": S("q"), ":one": N("1")}, nil,
			attrs{"a": S("q"), "v": N("5")},
		},
		"subtract": {
			attrs{"v": N("4")},
			"SET v = :x - v", attrs{":x": N("10")}, nil,
			attrs{"v": N("6")},
		},
		"if_not_exists": {
			attrs{"m": N("7")},
			"SET n = if_not_exists(n, :z) + :o, m = if_not_exists(m, :z) + :o", attrs{":z": N("0"), ":o": N("1")}, nil,
			attrs{"n": N("1"), "m": N("8")},
		},
		"if_not_exists_path": {
			attrs{"m": N("7")},
			"SET n = if_not_exists(n, m)", nil, nil,
			attrs{"n": N("7"), "m": N("7")},
		},
		"list_append": {
			attrs{"l": L(S("a"))},
			"SET l = list_append(l, :v), k = list_append(if_not_exists(k, :e), :v)", attrs{":v": L(S("b")), ":e": L()}, nil,
			attrs{"l": L(S("a"), S("b")), "k": L(S("b"))},
		},
		"nested": {
			attrs{"a": M(attrs{"b": S("o"), "k": S("k")}), "l": L(S("p"), S("q"))},
			"SET a.b = :v, a.#c = :v, l[1] = :v", attrs{":v": S("n")}, map[string]string{"#c": "c.d"},
			attrs{"a": M(attrs{"b": S("n"), "k": S("k"), "c.d": S("n")}), "l": L(S("p"), S("n"))},
		},
		"swap": {
			attrs{"a": S("1"), "b": S("2")},
			"SET a = b, b = a", nil, nil,
			attrs{"a": S("2"), "b": S("1")},
		},
		"exact_numbers": {
			attrs{"n": N("12345678901234567890123456789012345678"), "d": N("0.1")},
			"SET n = n + :o, d = d + :d", attrs{":o": N("1"), ":d": N("0.2")}, nil,
			attrs{"n": N("12345678901234567890123456789012345679"), "d": N("0.3")},
		},
		"replace_a_map": {
			attrs{"m": M(attrs{"a": S("x")})},
			"SET m = :m", attrs{":m": M(attrs{})}, nil,
			attrs{"m": M(attrs{})},
		},
	}
}

func removeUpdates() map[string]updateCase {
	return map[string]updateCase{
		"lower_case_sections": {
			attrs{"v": N("4")},
			"set a = :x remove v", attrs{":x": S("q")}, nil,
			attrs{"a": S("q")},
		},
		"remove": {
			attrs{"a": S("x"), "b": S("y"), "keep": S("k")},
			"REMOVE a, b, nosuch", nil, nil,
			attrs{"keep": S("k")},
		},
		"remove_elements": {
			attrs{"l": L(N("0"), N("1"), N("2"), N("3"))},
			"REMOVE l[0], l[2], l[9]", nil, nil,
			attrs{"l": L(N("1"), N("3"))},
		},
		"set_and_remove_in_one": {
			attrs{"l": L(N("0"), N("1"), N("2"))},
			"REMOVE l[0] SET l[1] = :v, l[9] = :w, l[8] = :v", attrs{":v": S("v"), ":w": S("w")}, nil,
			attrs{"l": L(S("v"), N("2"), S("v"), S("w"))},
		},
		"remove_below_elements": {
			attrs{"l": L(S("x"), M(attrs{"a": N("1"), "b": N("2")}))},
			"REMOVE l[0], l[1].a", nil, nil,
			attrs{"l": L(M(attrs{"b": N("2")}))},
		},
		"remove_nested": {
			attrs{"a": M(attrs{"b": S("o"), "k": S("k")})},
			"REMOVE a.b, a.nosuch", nil, nil,
			attrs{"a": M(attrs{"k": S("k")})},
		},
	}
}

func addAndDeleteUpdates() map[string]updateCase {
	return map[string]updateCase{
		"add": {
			attrs{"c": N("10"), "s": SS("a")},
			"ADD c :n, d :n, s :s, z :s", attrs{":n": N("5"), ":s": SS("b", "a")}, nil,
			attrs{"c": N("15"), "d": N("5"), "s": SS("a", "b"), "z": SS("a", "b")},
		},
		"add_nested": {
			attrs{"m": M(attrs{"c": N("1")})},
			"ADD m.c :n, m.d :n", attrs{":n": N("5")}, nil,
			attrs{"m": M(attrs{"c": N("6"), "d": N("5")})},
		},
		"delete_elements": {
			attrs{"s": SS("a", "b", "c"), "z": SS("k")},
			"DELETE s :s, z :z, absent :z", attrs{":s": SS("b", "x"), ":z": SS("k")}, nil,
			attrs{"s": SS("a", "c")},
		},
		"number_sets": {
			attrs{"s": NS("1", "10")},
			"ADD s :s", attrs{":s": NS("1.0", "2")}, nil,
			attrs{"s": NS("1", "2", "10")},
		},
		"all_sections": {
			attrs{"s": SS("a", "b"), "r": S("x"), "ver": N("1")},
			"ADD #0 :0\nDELETE #1 :1\nREMOVE #2\nSET #3 = :2, #4 = #4 + :0\n",
			attrs{":0": N("1"), ":1": SS("b"), ":2": S("v")}, map[string]string{"#0": "count", "#1": "s", "#2": "r", "#3": "size", "#4": "ver"},
			attrs{"count": N("1"), "s": SS("a"), "size": S("v"), "ver": N("2")},
		},
	}
}

func TestUpdates(t *testing.T) {
	for _, cases := range []map[string]updateCase{setUpdates(), removeUpdates(), addAndDeleteUpdates()} {
		for name, tc := range cases {
			t.Run(name, func(t *testing.T) {
				h := setup(t)
				h.put(with(key("p", "s"), tc.before))
				got, err := h.update(tc.expression, tc.values, tc.names, types.ReturnValueAllNew)
				require.NoError(t, err)
				require.Equal(t, with(key("p", "s"), tc.after), got)
				require.Equal(t, got, h.get("p", "s"))
			})
		}
	}
}

func TestInvalidUpdates(t *testing.T) {
	before := with(key("p", "s"), attrs{
		"a": S("x"), "n": N("1"), "l": L(S("a")), "m": M(attrs{"k": S("v")}), "ss": SS("a"), "big": N("9e125"),
	})
	for name, tc := range map[string]struct {
		expression string
		values     attrs
		message    string
	}{
		"empty":                 {"", nil, "can not be empty"},
		"key_attribute":         {"SET sk = :v", attrs{":v": S("2")}, "Cannot update attribute sk"},
		"remove_key_attribute":  {"REMOVE pk", nil, "Cannot update attribute pk"},
		"overlap":               {"SET a = :v REMOVE a", attrs{":v": S("2")}, "overlap"},
		"overlap_nested":        {"SET m = :v, m.k = :v", attrs{":v": S("2")}, "overlap"},
		"conflict":              {"SET m.k = :v, m[0] = :v", attrs{":v": S("2")}, "conflict"},
		"section_twice":         {"SET a = :v SET b = :v", attrs{":v": S("2")}, "can only be used once"},
		"unknown_section":       {"PUT a = :v", attrs{":v": S("2")}, "Syntax error"},
		"no_operator":           {"SET a := :v", attrs{":v": S("2")}, "Syntax error"},
		"trailing_comma":        {"SET a = :v,", attrs{":v": S("2")}, "Syntax error"},
		"three_terms":           {"SET n = n + :v + :v", attrs{":v": N("2")}, "Syntax error"},
		"condition_function":    {"SET n = attribute_exists(n)", nil, "Invalid function name"},
		"add_path":              {"ADD n a", nil, "Syntax error"},
		"reserved":              {"SET status = :v", attrs{":v": S("2")}, "reserved keyword"},
		"undefined":             {"SET b = :v, c = :w", attrs{":v": S("2")}, ":w"},
		"add_to_string":         {"ADD a :v", attrs{":v": N("2")}, "incorrect data type"},
		"add_number_to_set":     {"ADD ss :v", attrs{":v": N("2")}, "incorrect data type"},
		"add_a_string":          {"ADD n :v", attrs{":v": S("2")}, "operand type: S"},
		"delete_a_number":       {"DELETE ss :v", attrs{":v": N("2")}, "operand type: N"},
		"delete_other_set":      {"DELETE ss :v", attrs{":v": NS("2")}, "incorrect data type"},
		"string_plus_number":    {"SET a = a + :v", attrs{":v": N("2")}, "incorrect data type"},
		"plus_a_string":         {"SET n = n + :v", attrs{":v": S("2")}, "operand type: S"},
		"append_to_a_string":    {"SET l = list_append(a, l)", nil, "incorrect data type"},
		"append_a_string":       {"SET l = list_append(l, :v)", attrs{":v": S("2")}, "operand type: S"},
		"missing_attribute":     {"SET b = nosuch", nil, "does not exist in the item"},
		"count_from_nothing":    {"SET b = nosuch + :v", attrs{":v": N("2")}, "does not exist in the item"},
		"below_nothing":         {"SET q.b = :v", attrs{":v": S("2")}, "invalid for update"},
		"below_nothing_2":       {"SET m.q.b = :v", attrs{":v": S("2")}, "invalid for update"},
		"below_a_string":        {"SET a.b = :v", attrs{":v": S("2")}, "invalid for update"},
		"element_of_a_map":      {"SET m[0] = :v", attrs{":v": S("2")}, "invalid for update"},
		"below_missing_element": {"SET l[4].a = :v", attrs{":v": S("2")}, "invalid for update"},
		"remove_below_nothing":  {"REMOVE q.b", nil, "invalid for update"},
		"overflow":              {"SET big = big + :v", attrs{":v": N("9e125")}, "Number overflow"},
		"inexact":               {"SET big = big + :v", attrs{":v": N("1")}, "Number overflow"},
		"partly_wrong":          {"SET m.k = :v, zz = nosuch", attrs{":v": S("new")}, "does not exist in the item"},
		"index_key_type":        {"SET g1pk = :v", attrs{":v": N("2")}, "Type mismatch for Index Key g1pk"},
		"index_key_empty":       {"SET g1sk = :v", attrs{":v": S("")}, "IndexKey: g1sk"},
	} {
		t.Run(name, func(t *testing.T) {
			h := setup(t)
			h.put(before)
			_, err := h.update(tc.expression, tc.values, nil, types.ReturnValueNone)
			requireCode(t, validation, err)
			require.ErrorContains(t, err, tc.message)
			require.Equal(t, with(before, attrs{"big": h.get("p", "s")["big"]}), h.get("p", "s"), "the item is as it was")
		})
	}
}

func TestUpdateCreatesItem(t *testing.T) {
	h := setup(t)
	_, err := h.update("SET x = :x", attrs{":x": S("n")}, nil, types.ReturnValueNone)
	require.NoError(t, err)
	require.Equal(t, with(key("p", "s"), attrs{"x": S("n")}), h.get("p", "s"))

	_, err = h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{TableName: aws.String(tableName), Key: key("q", "s")})
	require.NoError(t, err)
	require.Equal(t, key("q", "s"), h.get("q", "s"), "without an expression it has its key only")
}

func TestReturnValues(t *testing.T) {
	h := setup(t)
	h.put(with(key("p", "s"), attrs{"x": S("0"), "y": S("y"), "m": M(attrs{"a": N("1"), "b": N("2")}), "l": L(N("1"), N("2"))}))
	for _, step := range []struct {
		expression string
		returns    types.ReturnValue
		want       attrs
	}{
		{"SET x = :v, fresh = :v", types.ReturnValueUpdatedNew, attrs{"x": S("v"), "fresh": S("v")}},
		{"SET x = :v, newer = :v", types.ReturnValueUpdatedOld, attrs{"x": S("v")}},
		{"SET m.a = :v, l[1] = :v", types.ReturnValueUpdatedNew, attrs{"m": M(attrs{"a": S("v")}), "l": L(S("v"))}},
		{"SET m.a = :v REMOVE y", types.ReturnValueUpdatedOld, attrs{"m": M(attrs{"a": S("v")}), "y": S("y")}},
		{"SET x = :v REMOVE newer", types.ReturnValueUpdatedNew, attrs{"x": S("v")}},
		{"SET x = :v", types.ReturnValueNone, nil},
		{"SET x = :v", "", nil},
	} {
		got, err := h.update(step.expression, attrs{":v": S("v")}, nil, step.returns)
		require.NoError(t, err)
		require.Equal(t, step.want, got, step.expression)
	}
	before := h.get("p", "s")
	got, err := h.update("SET x = :v", attrs{":v": S("w")}, nil, types.ReturnValueAllOld)
	require.NoError(t, err)
	require.Equal(t, before, got)

	put, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: key("p", "s"), ReturnValues: "ALL_OLD"})
	require.NoError(t, err)
	require.Equal(t, with(before, attrs{"x": S("w")}), put.Attributes)
	removed, err := h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(tableName), Key: key("p", "s"), ReturnValues: "ALL_OLD",
	})
	require.NoError(t, err)
	require.Equal(t, key("p", "s"), removed.Attributes)
	removed, err = h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{
		TableName: aws.String(tableName), Key: key("p", "s"), ReturnValues: "ALL_OLD",
	})
	require.NoError(t, err)
	require.Nil(t, removed.Attributes)
	_, err = h.client.PutItem(h.ctx, &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: key("p", "s"), ReturnValues: "ALL_NEW"})
	requireCode(t, validation, err)
}
