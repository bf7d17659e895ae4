package memdynamo_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

// judged is the item that the conditions below are evaluated on.
func judged() attrs {
	return with(key("p", "s"), attrs{
		"n": N("10"), "z": N("9"), "neg": N("-5"), "s": S("hello"), "e": S("é𝄞"), "b": B(1, 2, 3), "t": BOOL(true), "nul": NULL(),
		"l": L(S("a"), N("2")), "ss": SS("x", "y"), "ns": NS("1", "2"), "m": M(attrs{"k": S("v"), "d": N("5")}),
	})
}

func TestConditions(t *testing.T) {
	h := setup(t)
	item := judged()
	h.put(item)
	v := attrs{
		":nine": N("9"), ":ten": N("10.0"), ":eleven": N("11"), ":tenText": S("10"), ":hello": S("hello"), ":x": S("x"), ":hel": S("hel"),
		":ell": S("ell"), ":i": S("i"), ":j": S("j"), ":two": N("2"), ":three": N("3"), ":five": N("5"), ":true": BOOL(true),
		":yx": SS("y", "x"), ":list": L(S("a"), N("2")), ":map": M(attrs{"d": N("5"), "k": S("v")}), ":part": M(attrs{"k": S("v")}),
		":v": S("v"), ":a": S("a"), ":S": S("S"), ":SS": S("SS"), ":NULL": S("NULL"), ":b12": B(1, 2), ":b23": B(2, 3), ":null": NULL(),
	}
	for expression, want := range map[string]bool{
		"n > :nine": true, "n < :nine": false, "n <= :ten": true, "n >= :ten": true, "n = :ten": true, "n <> :ten": false,
		"neg < :nine": true, "neg > :nine": false,
		"n = :tenText": false, "n <> :tenText": true, "n > :tenText": false, "n < :tenText": false,
		"nosuch = :ten": false, "nosuch <> :ten": true, "nosuch < :ten": false, "nosuch >= :ten": false, "NOT nosuch < :ten": true,
		"n > z": true, "z > n": false, "m.d < n": true, ":nine < n": true,

		"n = :nine AND s = :hello OR s = :x": false, "s = :hello OR n = :nine AND s = :x": true,
		"(s = :hello OR n = :nine) AND s = :x": false, "NOT n = :nine": true, "NOT (n = :nine OR s = :hello)": false,
		"NOT n = :nine AND s = :hello": true, "NOT NOT n = :ten": true, "not n = :nine and s = :hello or n = :nine": true,
		"(attribute_exists(pk)) AND ((n = :nine) OR (attribute_not_exists(zz)))": true,

		"n BETWEEN :nine AND :eleven": true, "n BETWEEN :nine AND :eleven AND s = :x": false, "NOT n BETWEEN :nine AND :eleven": false,
		"s BETWEEN :i AND :j": false, "n BETWEEN z AND :ten": true, ":ten BETWEEN z AND n": true,
		"s IN (:x, :hello)": true, "n IN (:nine)": false, "s in (:x,:hello) and n = :ten": true, "nosuch IN (:x)": false, "n IN (z, :ten)": true,

		"begins_with(s, :hel)": true, "begins_with(s, :x)": false, "begins_with(b, :b12)": true, "begins_with(b, :b23)": false,
		"begins_with(nosuch, :x)": false, "begins_with(n, :x)": false,
		"contains(s, :ell)": true, "contains(b, :b23)": true, "contains(ss, :x)": true, "contains(ss, :a)": false, "contains(ns, :two)": true,
		"contains(l, :two)": true, "contains(l, :a)": true, "NOT contains(l, :v)": true, "contains(n, :x)": false, "contains(nosuch, :x)": false,

		"size(s) = :five": true, "size(l) < :three": true, "size(ss) >= :two": true, "size(m) = :two": true, "size(b) = :three": true,
		"size(e) = :three": true, "size(nosuch) < :three": false, "size(n) > :two": false, "size(s) > size(l)": true, "n > size(s)": true,

		"attribute_type(s, :S)": true, "attribute_type(n, :S)": false, "attribute_type(ss, :SS)": true, "attribute_type(nul, :NULL)": true,
		"attribute_type(nosuch, :S)": false,
		"attribute_exists(nul)":      true, "attribute_not_exists(nosuch)": true, "attribute_not_exists(m.k)": false,
		"attribute_exists(m.q)":  false,
		"attribute_exists(l[1])": true, "attribute_exists(l[7])": false, "attribute_exists(s.k)": false, "attribute_exists(m[0])": false,

		"m.k = :v": true, "#m.#k = :v": true, "l[0] = :a": true, "t = :true": true, "nul = :null": true,
		"ss = :yx": true, "l = :list": true, "m = :map": true, "m = :part": false, "ss <> :yx": false, "t < :nine": false,
		"#dotted = :v": false,
	} {
		in := &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item, ConditionExpression: &expression}
		in.ExpressionAttributeValues, in.ExpressionAttributeNames = usedPlaceholders(expression, v)
		_, err := h.client.PutItem(h.ctx, in)
		wantCode := "none"
		if !want {
			wantCode = "ConditionalCheckFailedException"
		}
		require.Equal(t, wantCode, code(err), "%s: %v", expression, err)
	}
}

// usedPlaceholders picks those that the expression uses, since others are an error.
func usedPlaceholders(expression string, values attrs) (attrs, map[string]string) {
	used := attrs{}
	words := strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune(" ,()=<>+-\n", r) })
	for _, word := range words {
		if v, ok := values[word]; ok {
			used[word] = v
		}
	}
	names := map[string]string{}
	for ref, name := range map[string]string{"#m": "m", "#k": "k", "#dotted": "m.k"} {
		for _, word := range words {
			if word == ref || strings.HasPrefix(word, ref+".") || strings.HasSuffix(word, "."+ref) {
				names[ref] = name
			}
		}
	}
	if len(used) == 0 {
		used = nil
	}
	if len(names) == 0 {
		names = nil
	}
	return used, names
}

// invalidConditions are expressions with a part of the message that rejects them.
func invalidConditions() map[string]string {
	return map[string]string{
		"":                                      "The expression can not be empty",
		"  ":                                    "The expression can not be empty",
		"n = ":                                  "Syntax error",
		"n":                                     "Syntax error",
		"n == :one":                             "Syntax error",
		"n ! :one":                              "Syntax error",
		"(n = :one":                             "Syntax error",
		"n = :one)":                             "Syntax error",
		"n = :one AND":                          "Syntax error",
		"n = :one s = :s":                       "Syntax error",
		"n[ = :one":                             "Syntax error",
		"n[a] = :one":                           "Syntax error",
		"_n = :one":                             "Syntax error",
		"l[99999999999999999999] = :s":          "List index",
		"n BETWEEN :one":                        "Syntax error",
		"n IN :one":                             "Syntax error",
		"n IN ()":                               "Syntax error",
		"((n = :one))":                          "redundant parentheses",
		"foo(n, :one)":                          "Invalid function name; function: foo",
		"Attribute_exists(n)":                   "Invalid function name",
		"list_append(n, :one)":                  "not allowed to be used this way",
		"begins_with(n, :one)":                  "operator or function: begins_with, operand type: N",
		"begins_with(n)":                        "number of operands: 1",
		"attribute_exists(n, s)":                "number of operands: 2",
		"attribute_exists(:one)":                "requires a document path",
		"attribute_type(n, s)":                  "Incorrect operand type",
		"attribute_type(n, :one)":               "Incorrect operand type",
		"attribute_type(n, :bad)":               "Invalid attribute type name",
		"size(n)":                               "Syntax error",
		"n = begins_with(s, :s)":                "not allowed to be used this way",
		"n < :t":                                "operand type: BOOL",
		"n >= :m":                               "operand type: M",
		"n < :ss":                               "operand type: SS",
		"n BETWEEN :two AND :one":               "upper bound to be greater than or equal to lower bound",
		"n BETWEEN :one AND :s":                 "same data type",
		"n BETWEEN :l AND :l":                   "operand type: L",
		"n = n":                                 "must be distinct",
		"contains(l, l)":                        "must be distinct",
		"n IN (:one, n)":                        "must be distinct",
		"n = :undefined":                        "attribute value: :undefined",
		"#undefined = :one":                     "attribute name: #undefined",
		"name = :s":                             "reserved keyword: name",
		"m.Status = :s":                         "reserved keyword: Status",
		"attribute_exists(status)":              "reserved keyword: status",
		strings.Repeat("a", 4097):               "maximum allowed size",
		many("n = :one", " OR ", 151):           "too many operators",
		"n IN (" + many(":one", ",", 101) + ")": "too many operands",
	}
}

func TestInvalidConditions(t *testing.T) {
	h := setup(t)
	h.put(judged())
	v := attrs{
		":one": N("1"), ":two": N("2"), ":s": S("x"), ":t": BOOL(true), ":m": M(attrs{}), ":l": L(), ":ss": SS("a"), ":bad": S("STRING"),
	}
	for expression, message := range invalidConditions() {
		in := &dynamodb.DeleteItemInput{TableName: aws.String(tableName), Key: key("p", "s"), ConditionExpression: &expression}
		in.ExpressionAttributeValues, _ = usedPlaceholders(expression, v)
		_, err := h.client.DeleteItem(h.ctx, in)
		requireCode(t, validation, err)
		require.ErrorContains(t, err, message, expression)
	}
	require.NotEmpty(t, h.get("p", "s"))
}

func many(text, separator string, count int) string {
	return strings.Join(strings.Split(strings.Repeat(text+"|", count)[:count*(len(text)+1)-1], "|"), separator)
}

func TestPlaceholders(t *testing.T) {
	h := setup(t)
	for name, tc := range map[string]struct {
		condition string
		names     map[string]string
		values    attrs
		message   string
	}{
		"unused_value":       {"attribute_not_exists(a)", nil, attrs{":v": S("x")}, "unused in expressions: keys: {:v}"},
		"unused_name":        {"attribute_not_exists(a)", map[string]string{"#n": "x"}, nil, "unused in expressions: keys: {#n}"},
		"values_without":     {"", nil, attrs{":v": S("x")}, "can only be specified when using expressions"},
		"names_without":      {"", map[string]string{"#n": "x"}, nil, "can only be specified when using expressions"},
		"empty_values":       {"attribute_not_exists(a)", nil, attrs{}, "must not be empty"},
		"empty_names":        {"attribute_not_exists(a)", map[string]string{}, nil, "must not be empty"},
		"value_without_mark": {"attribute_not_exists(a)", nil, attrs{"v": S("x")}, "invalid key"},
		"name_without_mark":  {"attribute_not_exists(a)", map[string]string{"n": "x"}, nil, "invalid key"},
	} {
		_, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{
			TableName: aws.String(tableName), Item: key("p", "s"), ConditionExpression: optional(tc.condition),
			ExpressionAttributeNames: tc.names, ExpressionAttributeValues: tc.values,
		})
		requireCode(t, validation, err)
		require.ErrorContains(t, err, tc.message, name)
	}
}
