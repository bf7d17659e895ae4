package ratelimit_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

// pause lets simulated time pass, in a synctest bubble.
func pause(d time.Duration) { <-time.After(d) }

// slow takes 2 ms for a request.
func slow(ctx context.Context, _ string) error {
	timer := time.NewTimer(2 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestHotKeyShares counts requests and admissions of 4 limiters × 64 callers on one key, in a second of simulated time.
func TestHotKeyShares(t *testing.T) {
	t.Parallel()
	limits := map[string]builder{
		"scarce": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: anyTable(), Rate: 100, Burst: 50})
		},
		"ample": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: anyTable(), Rate: 1_000_000, Burst: 1_000_000})
		},
		"sliding": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{Table: anyTable(), Limit: 50, Window: 100 * time.Millisecond})
		},
		"fixed": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{Table: anyTable(), Limit: 500, Window: time.Second})
		},
	}
	most := map[string]int64{"scarce": 150, "ample": 1 << 30, "sliding": 550, "fixed": 1000}
	for name, build := range limits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				table := newStore()
				table.before = slow
				decisions, admitted := hammer(t, table, build)
				perDecision := float64(table.requests()) / float64(decisions)
				t.Logf("%d decisions, %d admitted, %.4f requests per decision", decisions, admitted, perDecision)
				require.LessOrEqual(t, perDecision, 0.05)
				require.LessOrEqual(t, admitted, most[name])
				require.Positive(t, admitted)
			})
		})
	}
}

// hammer has all callers ask for a second, or a part of it under the race detector. A caller that is denied asks again after a millisecond.
func hammer(t *testing.T, table *store, build builder) (decisions, admitted int64) {
	span := time.Second
	if underRace {
		span /= 4
	}
	var asked, allowed atomic.Int64
	var group sync.WaitGroup
	end := time.Now().Add(span)
	for range 4 {
		l, err := build(table)
		require.NoError(t, err)
		for range 64 {
			group.Go(func() {
				for time.Now().Before(end) {
					d, err := l.Allow(t.Context(), "hot")
					if err != nil || d.Degraded {
						t.Errorf("no decision: %v, %v", err, d.Cause)
						return
					}
					asked.Add(1)
					if d.Allowed {
						allowed.Add(1)
					} else {
						pause(time.Millisecond)
					}
				}
			})
		}
	}
	group.Wait()
	return asked.Load(), allowed.Load()
}

// TestSharedWriteIsOneAtATime has many callers of one process: never two requests for one key, but different keys do not wait for each other.
func TestSharedWriteIsOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newStore()
		var flying, most atomic.Int32
		table.before = func(ctx context.Context, op string) error {
			most.Store(max(most.Load(), flying.Add(1)))
			defer flying.Add(-1)
			return slow(ctx, op)
		}
		l, err := burstOf50(time.Now, ratelimit.Tuning{}, ratelimit.Closed)["token_bucket"](table)
		require.NoError(t, err)
		ask := func(keys ...string) {
			var group sync.WaitGroup
			for _, key := range keys {
				for range 10 {
					group.Go(func() { _, _ = l.Allow(t.Context(), key) })
					synctest.Wait() // its request is on its way, or it is in line
				}
			}
			group.Wait()
		}
		ask("a")
		require.EqualValues(t, 1, most.Load())
		require.Equal(t, 2, table.requests(), "the first caller's, and one for the other nine")
		ask("a", "b", "c")
		require.EqualValues(t, 3, most.Load())
	})
}

// TestSharedWriteServesSmallRequests lines up requests of different size for the same write: who fits is admitted, who does not is denied.
func TestSharedWriteServesSmallRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newStore()
		table.before = slow
		l, err := burstOf50(time.Now, ratelimit.Tuning{}, ratelimit.Closed)["sliding_window"](table)
		require.NoError(t, err)
		var group sync.WaitGroup
		ask := func(units int, want bool) {
			group.Go(func() {
				d, err := l.AllowN(t.Context(), "key", units)
				if err != nil || d.Allowed != want {
					t.Errorf("%d units: %+v, %v", units, d, err)
				}
			})
			synctest.Wait() // in line
		}
		ask(30, true)
		ask(15, true)
		ask(40, false)
		ask(5, true)
		ask(1, false)
		group.Wait()
		require.LessOrEqual(t, table.requests(), 4)
	})
}

func TestUncontendedKeysCostOneRequest(t *testing.T) {
	t.Parallel()
	for name, build := range burstOf50(newClock().Now, ratelimit.Tuning{}, ratelimit.Closed) {
		table := newStore()
		l, err := build(table)
		require.NoError(t, err)
		for range burst + 1000 {
			_, err := l.Allow(t.Context(), "key")
			require.NoError(t, err)
		}
		require.Equal(t, burst, table.requests(), "%s: one request per admission, none for a denial that is known", name)

		other, err := build(table)
		require.NoError(t, err)
		for range 1000 {
			d, err := other.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed)
		}
		require.Equal(t, burst+1, table.requests(), "%s: another process learns of the denial with one request", name)
	}
}

func TestUnitsAreCheckedBeforeRequest(t *testing.T) {
	t.Parallel()
	for name, build := range burstOf50(newClock().Now, ratelimit.Tuning{}, ratelimit.Closed) {
		table := newStore()
		l, err := build(table)
		require.NoError(t, err)
		for _, units := range []int{burst + 1, 0, -1, -1 << 63, 1<<63 - 1} {
			_, err := l.AllowN(t.Context(), "key", units)
			require.ErrorIs(t, err, ratelimit.ErrUnits, name)
		}
		require.Zero(t, table.requests())
		d, err := l.AllowN(t.Context(), "key", burst)
		require.NoError(t, err)
		require.True(t, d.Allowed)
		require.Zero(t, d.Remaining)
		require.Equal(t, 1, table.requests())
	}
}

// TestSharedUnitsDoNotOverflow has callers that share a write and ask for nearly all of the largest limit there is: one of them gets it.
func TestSharedUnitsDoNotOverflow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newStore()
		table.before = slow
		l, err := ratelimit.NewFixedWindow(table, ratelimit.FixedConfig{Table: anyTable(), Limit: math.MaxInt, Window: time.Hour})
		require.NoError(t, err)
		var allowed atomic.Int32
		var group sync.WaitGroup
		for _, n := range []int{1, math.MaxInt - 1, math.MaxInt - 1, math.MaxInt - 1} {
			group.Go(func() {
				d, err := l.AllowN(t.Context(), "key", n)
				require.NoError(t, err)
				require.False(t, d.Degraded)
				if d.Allowed {
					allowed.Add(1)
				}
			})
			pause(time.Millisecond / 10) // the first is on its way when the others line up
		}
		group.Wait()
		require.EqualValues(t, 2, allowed.Load())
	})
}
