package memdynamo

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
)

func TestReservedWords(t *testing.T) {
	require.Len(t, reservedWords, 573)
	for _, word := range []string{"abort", "Status", "TTL", "zone", "name", "counter", "_"} {
		require.Equal(t, word != "_", reserved(word), word)
	}
}

// TestPlacesOrderAsKeys is the ground that ranges stand on: within a partition, places order as the sort keys do.
func TestPlacesOrderAsKeys(t *testing.T) {
	for k, texts := range map[kind][]string{
		kindN: {
			"-99000", "-1000", "-999.99", "-10", "-9", "-1.1", "-1.01", "-1", "-0.9", "-0.12", "-0.1", "-0.01", "-0.001", "0", "0.0001",
			"0.001", "0.01",
			"0.011", "0.1", "0.9", "1", "1.01", "1.1", "9", "9.9", "10", "11", "99", "100", "1000000000000000000000000000000000000000",
		},
		kindS: {"", "\x00", "\x00\x00", "\x00\x01", "\x00\xff", "\x01", "a", "a\x00", "a\x00b", "a\x01", "aa", "b", "é", "\xff", "\xff\xff"},
	} {
		places := make([]string, len(texts))
		for i, text := range texts {
			places[i] = sortPlace(value{kind: k, text: text}) + endOfPart
		}
		require.True(t, slices.IsSorted(places), "%q", places)
		require.Len(t, slices.Compact(slices.Clone(places)), len(places))
		for i, text := range texts {
			after := sortPlace(value{kind: k, text: text}) + afterPart
			require.Greater(t, after, places[i]+"\xff\xff")
			if i+1 < len(places) {
				require.Less(t, after, places[i+1])
			}
		}
	}
}

func TestSuccessor(t *testing.T) {
	for prefix, want := range map[string]string{"": "", "a": "b", "a\xff": "b", "\xff\xff": "", "a\x00\x01": "a\x00\x02"} {
		require.Equal(t, want, successor(prefix))
	}
}

func TestItemSizes(t *testing.T) {
	number := func(text string) value { return value{kind: kindN, text: text} }
	text := func(s string) value { return value{kind: kindS, text: s} }
	for _, tc := range []struct {
		value value
		want  int
	}{
		{text("héllo"), 6}, {value{kind: kindB, text: "\x00\x01"}, 2}, {value{kind: kindBOOL}, 1}, {value{kind: kindNULL}, 1},
		{number("0"), 1}, {number("1"), 2}, {number("12"), 2}, {number("123"), 3}, {number("-12"), 3}, {number("1000"), 2},
		{number("0.001"), 2}, {number("1.5"), 2},
		{value{kind: kindL}, 3}, {value{kind: kindL, elements: []value{text("ab"), number("1")}}, 3 + 3 + 3},
		{value{kind: kindM}, 3}, {value{kind: kindM, fields: item{{"key", text("ab")}}}, 3 + 3 + 2 + 1},
		{value{kind: kindSS, elements: []value{text("ab"), text("c")}}, 3},
	} {
		require.Equal(t, tc.want, tc.value.size(), "%+v", tc.value)
	}
	require.Equal(t, 2+1+4+3, item{{"pk", text("a")}, {"name", text("Ada")}}.size())
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{
		"0", "-1", "1.5e3", "00.100", "1e-130", "9.9e125", "+7", ".5", "-.5e+2", "12345678901234567890123456789012345678",
	} {
		f.Add(seed, "1")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := canonicalNumber(a)
		y, errY := canonicalNumber(b)
		if errX != nil || errY != nil {
			return
		}
		again, err := canonicalNumber(x)
		require.NoError(t, err)
		require.Equal(t, x, again, "canonical form is a fixed point")
		want := decimalOf(t, x).Cmp(decimalOf(t, y))
		if exact, _, err := apd.NewFromString(a); err == nil { // apd does not take a zero with a huge exponent
			require.Zero(t, exact.Cmp(decimalOf(t, x)), "nothing is lost")
		}
		require.Equal(t, want, compareNumbers(x, y))
		require.Equal(t, want, cmp.Compare(canonicalDecimal(x).sortable(), canonicalDecimal(y).sortable()))
		if sum, err := addNumbers(x, y, false); err == nil {
			back, err := addNumbers(sum, y, true)
			require.True(t, err != nil || back == x, "%s + %s = %s", x, y, sum)
		}
	})
}

func decimalOf(t *testing.T, text string) *apd.Decimal {
	t.Helper()
	d, _, err := apd.NewFromString(text)
	require.NoError(t, err)
	return d
}

func FuzzExpressions(f *testing.F) {
	for _, seed := range []string{
		"a = :v", "#n.b[1] <> :v AND NOT (a BETWEEN :v AND :w OR size(a) > :w)", "attribute_exists(a) OR a IN (:v, b)", "begins_with(a, :s)",
		"contains(a, :s)", "attribute_type(a, :s)",
		"SET a = :v, b = list_append(if_not_exists(b, :l), :l) REMOVE c[0], d.e ADD n :w DELETE s :ss",
		"SET a[0].b = a[1] - :v", "a, #n.c[2], d", "((a = :v))", "set a = if_not_exists(", "a[99999999999999999999]", "",
	} {
		f.Add(seed)
	}
	text := func(s string) value { return value{kind: kindS, text: s} }
	values := item{
		{":l", value{kind: kindL, elements: []value{text("x")}}}, {":s", text("S")}, {":ss", value{kind: kindSS, elements: []value{text("x")}}},
		{":v", value{kind: kindN, text: "1"}}, {":w", value{kind: kindN, text: "2"}},
	}
	subject := item{
		{"a", value{kind: kindL, elements: []value{{kind: kindN, text: "5"}, {kind: kindM, fields: item{{"b", text("y")}}}}}},
		{"b", value{kind: kindM, fields: item{{"c", text("z")}}}}, {"n", value{kind: kindN, text: "7"}}, {"s", values[2].value},
	}
	before := fmt.Sprint(subject)
	f.Fuzz(func(t *testing.T, expression string) {
		refs := func() *placeholders { return &placeholders{names: map[string]string{"#n": "b"}, values: values} }
		condition, err := newParser("ConditionExpression", expression, refs()).parseCondition()
		if err == nil {
			condition.holds(subject)
			condition.holds(nil)
			_, _ = keyPredicates(condition)
		}
		requireInvalid(t, err)
		paths, err := newParser("ProjectionExpression", expression, refs()).parseProjection()
		if err == nil {
			paths.of(subject)
		}
		requireInvalid(t, err)
		change, err := newParser("UpdateExpression", expression, refs()).parseUpdate()
		requireInvalid(t, err)
		if err == nil {
			after, err := change.apply(subject)
			requireInvalid(t, err)
			require.True(t, slices.IsSortedFunc(after, func(a, b attribute) int { return strings.Compare(a.name, b.name) }))
		}
		require.Equal(t, before, fmt.Sprint(subject), "values never change")
	})
}

// requireInvalid accepts success and ValidationException.
func requireInvalid(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		require.True(t, strings.HasPrefix(err.Error(), codeValidation), err.Error())
	}
}
