package cognitojwt

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMembers(t *testing.T) {
	t.Parallel()
	type member struct{ name, value string }
	for _, c := range []struct {
		text string
		want []member
	}{
		{`{}`, nil},
		{" { } ", nil},
		{`{"a":1}`, []member{{"a", "1"}}},
		{"{ \"a\" :\t-1.5e3 ,\r\n\"b\" : null }", []member{{"a", "-1.5e3"}, {"b", "null"}}},
		{`{"a":{"x":[1,{"y":"}]"}]},"b":[[],{}]}`, []member{{"a", `{"x":[1,{"y":"}]"}]}`}, {"b", `[[],{}]`}}},
		{`{"a\"\\":"\\","":true}`, []member{{`a"\`, `"\\"`}, {"", "true"}}},
		{`{"\u0073ub":"x"}`, []member{{"sub", `"x"`}}},
		{`{"a":1,"a":2}`, []member{{"a", "1"}, {"a", "2"}}},
	} {
		var got []member
		require.NoError(t, members([]byte(c.text), func(name, value []byte) error {
			got = append(got, member{string(name), string(value)})
			return nil
		}), c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestMembersRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "{", `{"a"}`, `{"a":1,}`, `{,"a":1}`, `[]`, `"a"`, `1`, `null`, `{} {}`, "{\"a\xff\":1}", "{\"\n\":1}",
	} {
		require.ErrorIs(t, members([]byte(text), func(_, _ []byte) error { return nil }), ErrMalformed, text)
	}
}

func TestMembersStopsAtTheFirstError(t *testing.T) {
	t.Parallel()
	stop, calls := errors.New("stop"), 0
	require.ErrorIs(t, members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) error { calls++; return stop }), stop)
	require.Equal(t, 1, calls)
}

func TestJSONStrings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
		ok   bool
	}{
		{`[]`, nil, true},
		{`[ "a" , "b\n\u00e9" ]`, []string{"a", "b\né"}, true},
		{`["a",1]`, nil, false},
		{`[["a"]]`, nil, false},
		{`"a"`, nil, false},
		{`null`, nil, false},
	} {
		got, ok := jsonStrings([]byte(c.text))
		require.Equal(t, c.ok, ok, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

// FuzzMembers holds members against encoding/json: the same texts are objects, with the same members. Names are compared after a trip
// through a map, so of a repeated one the last counts on both sides.
func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"sub":"a","exp":1}`, `{"a":{"b":["}",{"]":"\""}]},"c":"\\"}`, "{ \"a\" : 1 , \"a\" : [ ] }",
		`{"\u0061":"\ud83d\ude00"}`, `[1]`, `{"a":1`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got := map[string]json.RawMessage{}
		err := members(text, func(name, value []byte) error {
			got[string(name)] = value
			return nil
		})
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &want))
		require.Equal(t, want, got)
		for name, value := range want {
			var text string
			var list []string
			if s, ok := jsonString(value); ok {
				require.NoError(t, json.Unmarshal(value, &text), name)
				require.Equal(t, text, s, name)
			}
			if l, ok := jsonStrings(value); ok {
				require.NoError(t, json.Unmarshal(value, &list), name)
				require.ElementsMatch(t, list, l, name)
			}
		}
	})
}
