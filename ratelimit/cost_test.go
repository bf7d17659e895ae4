package ratelimit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
)

// TestCost holds the table of the package page: requests and capacity units of each call.
func TestCost(t *testing.T) {
	t.Parallel()
	for name, build := range limiterOf3 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{}, 1)
			l, err := build(e.client)
			require.NoError(t, err)
			other, err := build(e.client)
			require.NoError(t, err)
			charge := func(l ratelimit.Limiter, want memdynamo.Usage) {
				t.Helper()
				e.db.ResetUsage()
				_, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.Equal(t, want, e.db.Usage())
			}
			write := memdynamo.Usage{Requests: map[string]int{"UpdateItem": 1}, WriteUnits: 1}
			for range 3 {
				charge(l, write) // admitted
			}
			charge(l, memdynamo.Usage{Requests: map[string]int{}}) // denied, as known
			charge(other, write)                                   // denied, not known before

			e.db.ResetUsage()
			_, err = l.Peek(t.Context(), "key")
			require.NoError(t, err)
			require.Equal(t, memdynamo.Usage{Requests: map[string]int{"GetItem": 1}, ReadUnits: 1}, e.db.Usage())

			e.db.ResetUsage()
			require.NoError(t, l.Reset(t.Context(), "key"))
			require.Equal(t, memdynamo.Usage{Requests: map[string]int{"DeleteItem": 1}, WriteUnits: 1}, e.db.Usage())
		})
	}
}

// TestCostOfWrongGuess has a second process find a bucket in use: one request more, once.
func TestCostOfWrongGuess(t *testing.T) {
	t.Parallel()
	e := newEngine(t, anyTable(), faults.Plan{}, 1)
	for i, want := range []int{1, 2} {
		l, err := limiterOf3["token_bucket"](e.client)
		require.NoError(t, err)
		e.db.ResetUsage()
		d, err := l.Allow(t.Context(), "key")
		require.NoError(t, err)
		require.True(t, d.Allowed)
		require.Equal(t, want, e.db.Usage().Requests["UpdateItem"], "process %d", i)
	}
}

// TestCostOfTransactItem is that of a transactional write.
func TestCostOfTransactItem(t *testing.T) {
	t.Parallel()
	for name := range newTransactors(t, newStore(), time.Now) {
		e := newEngine(t, anyTable(), faults.Plan{}, 1)
		action, _ := newTransactors(t, e.client, time.Now)[name].TransactItem("key", time.Now())
		_, ok := e.transact(t, action)
		require.True(t, ok)
		require.EqualValues(t, 2, e.db.Usage().WriteUnits, name)
	}
}

// TestCostOfLargestItems uses the limits that MaxSlidingLimit's comment names.
func TestCostOfLargestItems(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ limit, keyBytes int }{{32, 100}, {32, 2000}, {ratelimit.MaxSlidingLimit, 80 - len("RATELIMIT#")}} {
		e := newEngine(t, anyTable(), faults.Plan{}, 1)
		l, err := ratelimit.NewSlidingWindow(e.client, ratelimit.SlidingConfig{Table: anyTable(), Limit: tc.limit, Window: time.Hour})
		require.NoError(t, err)
		for used := range tc.limit {
			e.db.ResetUsage()
			d, err := l.Allow(t.Context(), strings.Repeat("k", tc.keyBytes))
			require.NoError(t, err)
			require.True(t, d.Allowed)
			require.EqualValues(t, 1, e.db.Usage().WriteUnits, "%+v, %d used", tc, used)
		}
	}
	key := strings.Repeat("k", 502) // the longest that is not hashed, with the prefix
	e := newEngine(t, anyTable(), faults.Plan{}, 1)
	l, err := ratelimit.NewSlidingWindow(e.client, ratelimit.SlidingConfig{Table: anyTable(), Limit: 32, Window: time.Hour})
	require.NoError(t, err)
	_, err = l.AllowN(t.Context(), key, 32)
	require.NoError(t, err)
	require.EqualValues(t, 1, e.db.Usage().WriteUnits)
	require.Equal(t, s("RATELIMIT#"+key), e.items(t)[0]["PK"])
}
