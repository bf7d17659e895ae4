package outbox

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAssign(t *testing.T) {
	t.Parallel()
	require.Nil(t, assign(16, nil))
	var relays []string
	before := make([]string, 64)
	for n := range 8 {
		relays = append(relays, fmt.Sprintf("relay-%d", n))
		owners := assign(64, relays)
		backwards := slices.Clone(relays)
		slices.Reverse(backwards)
		require.Equal(t, owners, assign(64, backwards), "all compute the same")
		for shard, owner := range owners {
			require.Contains(t, relays, owner)
			if n > 0 && owner != before[shard] {
				require.Equal(t, relays[n], owner, "a shard moves to the new relay only")
			}
		}
		before = owners
	}
}

func TestShardsAreEven(t *testing.T) {
	t.Parallel()
	for name, format := range map[string]string{"short": "%d", "uuid": "5f2c8b9e-0000-4000-8000-%012d", "prefix": "%d-tenant-a"} {
		counts := make([]int, 16)
		for i := range 16_000 {
			counts[shardOf(fmt.Sprintf(format, i), 16)]++
		}
		require.Greater(t, slices.Min(counts), 850, name)
		require.Less(t, slices.Max(counts), 1150, name)
	}
	// These are stored: they never change.
	require.Equal(t, []int{10, 2, 0}, []int{shardOf("a", 16), shardOf("user-1", 16), shardOf("anything", 1)})
}

func TestLiveness(t *testing.T) {
	t.Parallel()
	start := time.Now()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	l := newLiveness(10 * time.Second)
	require.False(t, l.alive("a", at(0)), "never seen")
	l.observe(map[string]int64{"a": 7, "b": 1}, at(0))
	require.True(t, l.alive("a", at(9)))
	require.False(t, l.moving("a", at(9)), "its counter may be years old")
	l.observe(map[string]int64{"a": 8, "b": 1}, at(9))
	require.True(t, l.moving("a", at(18)))
	require.False(t, l.alive("b", at(10)))
	l.observe(map[string]int64{"a": 8}, at(12))
	require.False(t, l.alive("b", at(12)), "forgotten")
	require.False(t, l.alive("a", at(19)), "a counter that is seen again has not moved")
	l.observe(map[string]int64{"a": 1, "b": 1}, at(20))
	require.True(t, l.alive("a", at(29)), "a counter that went back has moved")
	require.True(t, l.alive("b", at(29)))
}

func TestParsePackSort(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "a#b", "#", "a#0000000000000000001", "x#y#z", "%", "%23", "a%25#"} {
		got, seq, ok := parsePackSort(packSort(id, 42))
		require.True(t, ok)
		require.Equal(t, id, got)
		require.EqualValues(t, 42, seq)
	}
	for _, bad := range []string{
		"", "a", "a#1", "#0000000000000000001", "a#000000000000000000x", "a#9999999999999999999", "a00000000000000000001",
		"a#b#0000000000000000001", "%#0000000000000000001", "%41#0000000000000000001",
	} {
		_, _, ok := parsePackSort(bad)
		require.False(t, ok, bad)
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for failures := range 70 {
		d := backoff(failures, time.Minute)
		longest := min(firstBackoff<<min(max(failures, 1)-1, 20), time.Minute)
		require.LessOrEqual(t, d, longest, "%d failures", failures)
		require.GreaterOrEqual(t, d, longest/2-1, "%d failures", failures)
	}
}
