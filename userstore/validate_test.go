package userstore

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

type inputCase struct {
	Input     string
	OK        bool
	Canonical string
	Why       string
}

func cases(t testing.TB, file string) []inputCase {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	var list []inputCase
	require.NoError(t, json.Unmarshal(data, &list))
	require.NotEmpty(t, list)
	return list
}

func TestNames(t *testing.T) {
	t.Parallel()
	more := []inputCase{
		{Input: "Zoe\u0308", OK: true, Canonical: "Zo\u00eb", Why: "NFC"},
		{Input: "Dana\u00a0Reyes", Why: "only plain spaces"},
		{Input: "Dana\tReyes", Why: "no tab"},
		{Input: "--", Why: "no letter"},
		{Input: "\u0301", Why: "a mark without a letter"},
		{Input: "\u3164", Why: "a filler that shows nothing"},
		{Input: "A" + strings.Repeat("\u0323", 8), OK: true, Why: "eight marks in a row"},
		{Input: "A" + strings.Repeat("\u0323", 10), Why: "more than eight marks in a row, one of which composes"},
		{Input: "\xff", Why: "invalid UTF-8"},
		{Input: "\u1100\u1161", OK: true, Canonical: "\uac00", Why: "Hangul composes"},
		{Input: "A\u202eB", Why: "bidirectional override"},
		{Input: strings.Repeat("a", 10_000), Why: "far too long"},
	}
	for _, c := range append(cases(t, "names.json"), more...) {
		t.Run(c.Why, func(t *testing.T) {
			t.Parallel()
			stored, problem := name(c.Input)
			require.Equal(t, c.OK, problem == "", "%q: %s", c.Input, problem)
			if c.Canonical != "" {
				require.Equal(t, c.Canonical, stored)
			}
		})
	}
}

func TestPhones(t *testing.T) {
	t.Parallel()
	for _, c := range append(cases(t, "phones.json"), inputCase{Input: "+14155550123\n", Why: "line break"}, inputCase{Input: "+1234567890123456", Why: "16 digits"}) {
		t.Run(c.Why, func(t *testing.T) {
			t.Parallel()
			var bad ValidationError
			checkPhone(&bad, c.Input)
			require.Equal(t, c.OK, bad.Err() == nil)
		})
	}
}

func FuzzName(f *testing.F) {
	for _, c := range cases(f, "names.json") {
		f.Add(c.Input)
	}
	f.Add("\xff\u0301\u3164")
	f.Fuzz(func(t *testing.T, input string) {
		stored, problem := name(input)
		if problem != "" {
			return
		}
		again, problem := name(stored)
		require.Empty(t, problem, "%q", stored)
		require.Equal(t, stored, again, "a stored name is a fixed point")
		require.LessOrEqual(t, utf8.RuneCountInString(stored), maxName)
		require.True(t, norm.NFC.IsNormalString(stored))
		require.NotContains(t, stored, "\x00")
	})
}
