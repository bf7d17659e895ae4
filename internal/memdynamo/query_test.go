package memdynamo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

// seed puts count items A#00… and an item B#00 into partition p, and an item into q.
func (h *harness) seed(count int) {
	h.Helper()
	for i := range count {
		item := with(key("p", fmt.Sprintf("A#%02d", i)), attrs{"n": N(fmt.Sprint(i))})
		if i%2 == 0 {
			item["even"] = S("y")
		}
		h.put(item)
	}
	h.put(key("p", "B#00"), key("q", "A#00"))
}

// keyConditions are expressions with the sort keys that they find.
func keyConditions() map[string]string {
	return map[string]string{
		"pk = :p":                              "A#00 A#01 A#02 A#03 A#04 A#05 B#00",
		"pk = :p AND sk = :a":                  "A#02",
		"pk = :p AND sk < :a":                  "A#00 A#01",
		"pk = :p AND sk <= :a":                 "A#00 A#01 A#02",
		"pk = :p AND sk > :b":                  "A#05 B#00",
		"pk = :p AND sk >= :b":                 "A#04 A#05 B#00",
		"pk = :p AND sk BETWEEN :a AND :b":     "A#02 A#03 A#04",
		"sk BETWEEN :a AND :b AND pk = :p":     "A#02 A#03 A#04",
		"begins_with(sk, :x) AND pk = :p":      "A#00 A#01 A#02 A#03 A#04 A#05",
		"(#p = :p) AND (#s > :b)":              "A#05 B#00",
		"pk = :p and begins_with(sk, :b)":      "A#04",
		"pk = :q":                              "A#00",
		"pk = :none":                           "",
		"pk = :p AND sk = :none":               "",
		"pk = :p AND sk BETWEEN :none AND :zz": "",
		"pk = :p AND begins_with(sk, :none)":   "",
	}
}

func invalidKeyConditions() []string {
	return []string{
		"pk = :p AND sk < :none AND pk = :p",
		"sk = :a",
		"n = :p",
		"pk = :p AND n = :a",
		"pk = :p AND sk <> :a",
		"pk = :p OR sk = :a",
		"NOT pk = :p",
		"pk > :p",
		"pk BETWEEN :a AND :b",
		"begins_with(pk, :p)",
		"pk = :p AND sk IN (:a)",
		"pk = :p AND contains(sk, :a)",
		"pk = :p AND attribute_exists(sk)",
		"pk = sk",
		":p = pk",
		"pk = :p AND size(sk) = :number",
		"pk.x = :p",
		"pk = :number",
		"pk = :p AND sk = :number",
		"pk = :empty",
		"pk = :p AND sk = :empty",
		"pk = :p AND begins_with(sk, :number)",
		"pk = :p AND sk BETWEEN :b AND :a",
		"pk = :p AND sk BETWEEN :number AND :two",
		"pk = :undefined",
		"pk = :p AND sk = :a AND sk = :b",
		"",
		"pk",
		"((pk = :p))",
		strings.Repeat("(", 4000) + "pk = :p",
		"pk = :p AND sk = :a AND (pk = :p OR n>n)",
	}
}

// keyQuery is a query with the placeholders that the expression uses.
func keyQuery(expression string) *dynamodb.QueryInput {
	in := &dynamodb.QueryInput{KeyConditionExpression: &expression}
	in.ExpressionAttributeValues, _ = usedPlaceholders(expression, attrs{
		":p": S("p"), ":q": S("q"), ":a": S("A#02"), ":b": S("A#04"), ":x": S("A#"), ":none": S("O"), ":zz": S("P"), ":empty": S(""),
		":number": N("1"), ":two": N("2"),
	})
	if strings.Contains(expression, "#") {
		in.ExpressionAttributeNames = map[string]string{"#p": "pk", "#s": "sk"}
	}
	return in
}

func TestKeyConditions(t *testing.T) {
	h := setup(t)
	h.seed(6)
	for expression, want := range keyConditions() {
		in := keyQuery(expression)
		out := h.mustQuery(in)
		require.Equal(t, want, strings.Join(texts(out.Items, "sk"), " "), expression)
		require.Empty(t, out.LastEvaluatedKey)

		in.ScanIndexForward = aws.Bool(false)
		got := texts(h.mustQuery(in).Items, "sk")
		slices.Reverse(got)
		require.Equal(t, want, strings.Join(got, " "), "backward: %s", expression)
	}
	for _, expression := range invalidKeyConditions() {
		_, err := h.query(keyQuery(expression))
		require.Equal(t, validation, code(err), expression)
	}
}

// pages reads a query to its end and returns the sort keys and the number of pages.
func (h *harness) pages(in *dynamodb.QueryInput) (got []string, pages int) {
	h.Helper()
	for {
		out := h.mustQuery(in)
		got = append(got, texts(out.Items, "sk")...)
		pages++
		if len(out.LastEvaluatedKey) == 0 {
			return got, pages
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func beginsWithA() *dynamodb.QueryInput {
	return &dynamodb.QueryInput{
		KeyConditionExpression: aws.String("pk = :p AND begins_with(sk, :a)"), ExpressionAttributeValues: attrs{":p": S("p"), ":a": S("A#")},
	}
}

func TestQueryPages(t *testing.T) {
	h := setup(t)
	h.seed(6)
	forward := []string{"A#00", "A#01", "A#02", "A#03", "A#04", "A#05"}
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	for limit, wantPages := range map[int32]int{1: 7, 2: 4, 4: 2, 5: 2, 6: 2, 7: 1, 100: 1} {
		in := beginsWithA()
		in.Limit = &limit
		got, pages := h.pages(in)
		require.Equal(t, forward, got)
		require.Equal(t, wantPages, pages, "a full last page is followed by an empty one, as in the service; limit %d", limit)

		in = beginsWithA()
		in.Limit, in.ScanIndexForward = &limit, aws.Bool(false)
		got, _ = h.pages(in)
		require.Equal(t, backward, got)
	}
}

func TestPagesGoOnBehindDeletedItems(t *testing.T) {
	h := setup(t)
	h.seed(6)
	in := beginsWithA()
	in.Limit = aws.Int32(2)
	first := h.mustQuery(in)
	for _, it := range first.Items {
		_, err := h.client.DeleteItem(h.ctx, &dynamodb.DeleteItemInput{
			TableName: aws.String(tableName), Key: key("p", texts([]attrs{it}, "sk")[0]),
		})
		require.NoError(t, err)
	}
	h.put(key("p", "A#00"))
	in.ExclusiveStartKey = first.LastEvaluatedKey
	require.Equal(t, []string{"A#02", "A#03"}, texts(h.mustQuery(in).Items, "sk"))
}

func TestFilterCountsWhatItRead(t *testing.T) {
	h := setup(t)
	h.seed(6)
	in := beginsWithA()
	in.Limit, in.FilterExpression = aws.Int32(3), aws.String("attribute_exists(even)")
	out := h.mustQuery(in)
	require.EqualValues(t, 2, out.Count)
	require.EqualValues(t, 3, out.ScannedCount)
	require.Equal(t, key("p", "A#02"), out.LastEvaluatedKey)
}

func TestPageEndsAtOneMegabyte(t *testing.T) {
	h := setup(t)
	for i := range 5 {
		h.put(with(key("p", fmt.Sprint(i)), attrs{"v": S(strings.Repeat("x", 300<<10))}))
	}
	in := &dynamodb.QueryInput{KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: attrs{":p": S("p")}}
	out := h.mustQuery(in)
	require.Equal(t, []string{"0", "1", "2"}, texts(out.Items, "sk"))
	require.Equal(t, key("p", "2"), out.LastEvaluatedKey)
	in.Select = types.SelectCount
	in.ExclusiveStartKey = out.LastEvaluatedKey
	out = h.mustQuery(in)
	require.EqualValues(t, 2, out.Count)
	require.Empty(t, out.Items)
	require.Empty(t, out.LastEvaluatedKey)
}

func TestSelect(t *testing.T) {
	h := setup(t, func(in *dynamodb.CreateTableInput) {
		in.GlobalSecondaryIndexes[0].Projection.ProjectionType = "KEYS_ONLY"
	})
	h.put(with(key("p", "A#1"), attrs{"g1pk": S("p"), "g1sk": S("A#1"), "n": N("1"), "o": N("2")}))
	for _, tc := range []struct {
		index, choice, projection string
		want                      []string // nil for an error
	}{
		{"", "", "", []string{"g1pk", "g1sk", "n", "o", "pk", "sk"}},
		{"", "ALL_ATTRIBUTES", "", []string{"g1pk", "g1sk", "n", "o", "pk", "sk"}},
		{"", "SPECIFIC_ATTRIBUTES", "n, sk", []string{"n", "sk"}},
		{"", "", "n", []string{"n"}},
		{"", "COUNT", "", []string{}},
		{"", "ALL_PROJECTED_ATTRIBUTES", "", nil},
		{"", "SPECIFIC_ATTRIBUTES", "", nil},
		{"", "COUNT", "n", nil},
		{"", "ALL_ATTRIBUTES", "n", nil},
		{"", "SOME", "", nil},
		{indexName, "", "", []string{"g1pk", "g1sk", "pk", "sk"}},
		{indexName, "ALL_PROJECTED_ATTRIBUTES", "", []string{"g1pk", "g1sk", "pk", "sk"}},
		{indexName, "ALL_ATTRIBUTES", "", nil},
		{indexName, "", "g1pk, pk", []string{"g1pk", "pk"}},
		{indexName, "", "n", nil},
		{"NOPE", "", "", nil},
	} {
		in := beginsWithA()
		in.Select, in.ProjectionExpression, in.IndexName = types.Select(tc.choice), optional(tc.projection), optional(tc.index)
		if tc.index == indexName {
			in.KeyConditionExpression = aws.String("g1pk = :p AND begins_with(g1sk, :a)")
		}
		out, err := h.query(in)
		if tc.want == nil {
			requireCode(t, validation, err)
			continue
		}
		require.NoError(t, err)
		require.EqualValues(t, 1, out.Count)
		names := []string{}
		for _, it := range out.Items {
			for name := range it {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		require.Equal(t, tc.want, names, "%+v", tc)
	}
}

func TestInvalidQueries(t *testing.T) {
	h := setup(t)
	h.seed(2)
	for message, change := range map[string]func(*dynamodb.QueryInput){
		"greater than or equal to 1":  func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(0) },
		"does not have the specified": func(in *dynamodb.QueryInput) { in.IndexName = aws.String("NOPE") },
		"Consistent reads are not": func(in *dynamodb.QueryInput) {
			in.IndexName, in.ConsistentRead = aws.String(indexName), aws.Bool(true)
		},
		"Primary key attribute: sk":      func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("attribute_exists(sk)") },
		"reserved keyword: name":         func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("attribute_exists(name)") },
		"starting key is invalid":        func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = attrs{"pk": S("p")} },
		"starting key is invalid.":       func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = attrs{"pk": S("p"), "sk": N("1")} },
		"outside query boundaries":       func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = key("q", "A#00") },
		"outside query boundaries based": func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = key("p", "B#00") },
		"ReturnConsumedCapacity":         func(in *dynamodb.QueryInput) { in.ReturnConsumedCapacity = "ALL" },
		"must be specified":              func(in *dynamodb.QueryInput) { in.KeyConditionExpression, in.ExpressionAttributeValues = nil, nil },
		"KeyConditions": func(in *dynamodb.QueryInput) {
			in.KeyConditions = map[string]types.Condition{
				"pk": {ComparisonOperator: types.ComparisonOperatorEq, AttributeValueList: []types.AttributeValue{S("p")}},
			}
		},
		"AttributesToGet": func(in *dynamodb.QueryInput) { in.AttributesToGet = []string{"pk"} },
	} {
		in := beginsWithA()
		change(in)
		_, err := h.query(in)
		requireCode(t, validation, err)
		require.ErrorContains(t, err, strings.TrimSuffix(message, "."))
	}
}

func TestNumericSortKeysOrderAsNumbers(t *testing.T) {
	h := setup(t, func(in *dynamodb.CreateTableInput) { in.AttributeDefinitions[1].AttributeType = "N" })
	ordered := []string{"-12345678901234567890", "-10.5", "-10", "-5", "-0.12", "-0.1", "0", "0.001", "0.01", "1.5", "9", "10", "100", "1e30"}
	for _, i := range []int{7, 2, 11, 0, 5, 13, 1, 9, 3, 12, 4, 10, 6, 8} {
		h.put(attrs{"pk": S("p"), "sk": N(ordered[i]), "label": S(ordered[i])})
	}
	in := &dynamodb.QueryInput{KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: attrs{":p": S("p")}}
	require.Equal(t, ordered, texts(h.mustQuery(in).Items, "label"))
	in.KeyConditionExpression = aws.String("pk = :p AND sk BETWEEN :a AND :b")
	in.ExpressionAttributeValues = attrs{":p": S("p"), ":a": N("-6"), ":b": N("9.5")}
	require.Equal(t, ordered[3:11], texts(h.mustQuery(in).Items, "label"))
}
