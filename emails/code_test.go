package emails

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDerive(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	t.Run("same_ids_same_code", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, derive(key, "u", "e", "c"), derive(key, "u", "e", "c"))
		require.True(t, isCode(derive(key, "u", "e", "c")))
	})
	t.Run("every_part_counts", func(t *testing.T) {
		t.Parallel()
		other := []byte("0123456789abcdef0123456789abcdeg")
		codes := map[string]bool{}
		for _, c := range []string{
			derive(key, "u", "e", "c"), derive(other, "u", "e", "c"), derive(key, "v", "e", "c"), derive(key, "u", "f", "c"),
			derive(key, "u", "e", "d"), derive(key, "ue", "", "c"), derive(key, "", "ue", "c"), derive(key, "u", "ec", ""),
		} {
			codes[c] = true
		}
		require.Len(t, codes, 8)
	})
	t.Run("digits_are_even", func(t *testing.T) {
		t.Parallel()
		const n = 60_000
		var counts [codeDigits][10]int
		for i := range n {
			for at, digit := range derive(key, "u", "e", fmt.Sprint(i)) {
				counts[at][digit-'0']++
			}
		}
		for at := range counts {
			for digit, count := range counts[at] {
				// 5.5 standard deviations of a fair digit: one false alarm in half a million runs, were the input random.
				require.InDelta(t, n/10, count, 405, "digit %d at place %d", digit, at)
			}
		}
	})
}

func TestIsCode(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"123456": true, "000000": true, "": false, "12345": false, "1234567": false, "12345a": false, " 12345": false, "１２": false, "-12345": false,
	} {
		require.Equal(t, want, isCode(s), "%q", s)
	}
}
