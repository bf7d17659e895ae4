package ratelimit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

// skewed are processes on one table whose clocks are apart by up to spread, and move against each other.
type skewed struct {
	random   *rand.Rand
	now      int64 // the time that nobody knows
	spread   int64
	offsets  []int64
	table    *store
	limiters []ratelimit.Limiter
}

const skewedStart = int64(1_700_000_000_000_000_000)

func newSkewed(t *testing.T, seed uint64, spread time.Duration,
	build func(table ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error),
) *skewed {
	k := &skewed{
		random: rand.New(rand.NewPCG(seed, 0)), now: skewedStart, spread: int64(spread), offsets: make([]int64, 5), table: newStore(),
	}
	for i := range k.offsets {
		l, err := build(k.table, func() time.Time { return time.Unix(0, k.now+k.offsets[i]) })
		require.NoError(t, err)
		k.limiters = append(k.limiters, l)
	}
	return k
}

// admissions makes requests as quickly as the limit allows and returns the true times of the units admitted.
func (k *skewed) admissions(t *testing.T, requests int, step time.Duration, maxUnits int) []int64 {
	var times []int64
	for range requests {
		k.now += k.random.Int64N(int64(step))
		i := k.random.IntN(len(k.limiters))
		if k.random.IntN(10) == 0 {
			k.offsets[i] = k.random.Int64N(k.spread+1) - k.spread/2
		}
		if k.random.IntN(10) == 0 {
			k.table.expire(k.now / int64(time.Second))
		}
		units := 1 + k.random.IntN(maxUnits)
		d, err := k.limiters[i].AllowN(t.Context(), "key", units)
		require.NoError(t, err)
		if d.Allowed {
			for range units {
				times = append(times, k.now)
			}
		}
	}
	return times
}

// TestExactSkew lets clocks differ and step, and counts admissions by the true time against the bounds on the package page.
func TestExactSkew(t *testing.T) {
	t.Parallel()
	seeds := uint64(6)
	if underRace { // it is about arithmetic: one goroutine does all
		seeds = 2
	}
	for seed := range seeds {
		for _, spread := range []time.Duration{0, 50 * time.Millisecond, 3 * time.Second} {
			t.Run(fmt.Sprintf("token_bucket/%v/%d", spread, seed), func(t *testing.T) {
				t.Parallel()
				testBucketSkew(t, seed, spread)
			})
			t.Run(fmt.Sprintf("sliding_window/%v/%d", spread, seed), func(t *testing.T) {
				t.Parallel()
				testSlidingSkew(t, seed, spread)
			})
			t.Run(fmt.Sprintf("fixed_window/%v/%d", spread, seed), func(t *testing.T) {
				t.Parallel()
				testFixedSkew(t, seed, spread)
			})
		}
	}
}

// testBucketSkew: in any span t at most (t + tau + skew)/T units, so that for units i ≤ j, (j−i+1)·T − (time j − time i) ≤ tau + skew.
func testBucketSkew(t *testing.T, seed uint64, spread time.Duration) {
	const interval, burst = int64(100 * time.Millisecond), 10
	k := newSkewed(t, seed, spread, func(table ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
		return ratelimit.NewTokenBucket(table, ratelimit.BucketConfig{Table: anyTable(), Rate: 10, Burst: burst, Now: now})
	})
	times := k.admissions(t, 4000, 60*time.Millisecond, 3)
	least, worst := int64(math.MaxInt64), int64(math.MinInt64)
	for j, at := range times {
		since := at - skewedStart
		least = min(least, int64(j)*interval-since)
		worst = max(worst, int64(j+1)*interval-since-least)
	}
	require.LessOrEqual(t, worst, burst*interval+int64(spread))
	require.Greater(t, len(times), 500)
}

// testSlidingSkew: limit+1 units in a row take at least window − skew.
func testSlidingSkew(t *testing.T, seed uint64, spread time.Duration) {
	const window, limit = 10 * time.Second, 5
	k := newSkewed(t, seed, spread, func(table ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
		return ratelimit.NewSlidingWindow(table, ratelimit.SlidingConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
	})
	times := k.admissions(t, 4000, time.Second, 2)
	for i := limit; i < len(times); i++ {
		require.GreaterOrEqual(t, times[i]-times[i-limit], int64(window-spread))
	}
	require.Greater(t, len(times), 500)
}

// testFixedSkew: a span t touches at most ⌈(t + skew)/window⌉ + 1 windows.
func testFixedSkew(t *testing.T, seed uint64, spread time.Duration) {
	const window, limit = 5 * time.Second, 4
	k := newSkewed(t, seed, spread, func(table ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
		return ratelimit.NewFixedWindow(table, ratelimit.FixedConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
	})
	times := k.admissions(t, 4000, time.Second, 2)
	for i := range times {
		for j := i; j < min(len(times), i+8*limit); j++ {
			span := times[j] - times[i]
			windows := (span+int64(spread)+int64(window)-1)/int64(window) + 1
			require.LessOrEqual(t, int64(j-i+1), windows*limit)
		}
	}
	require.Greater(t, len(times), 500)
}

// TestExactClockStepBack uses a key up, and steps the clock back in steps of every size: nothing more is admitted, also not by a process
// that has not denied yet, until the time is reached again at which the limit ends.
func TestExactClockStepBack(t *testing.T) {
	t.Parallel()
	for name := range limiterOf3 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, table := newClock(), newStore()
			build := map[string]func() (ratelimit.Limiter, error){
				"token_bucket": func() (ratelimit.Limiter, error) {
					return ratelimit.NewTokenBucket(table, ratelimit.BucketConfig{Table: anyTable(), Rate: 3, Per: time.Hour, Now: c.Now})
				},
				"sliding_window": func() (ratelimit.Limiter, error) {
					return ratelimit.NewSlidingWindow(table, ratelimit.SlidingConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: c.Now})
				},
				"fixed_window": func() (ratelimit.Limiter, error) {
					return ratelimit.NewFixedWindow(table, ratelimit.FixedConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: c.Now})
				},
			}[name]
			l, err := build()
			require.NoError(t, err)
			d, err := l.AllowN(t.Context(), "key", 3)
			require.NoError(t, err)
			require.True(t, d.Allowed)

			start := c.ns.Load()
			for back := time.Duration(1); back < 20*time.Hour; back *= 3 {
				c.ns.Store(start - int64(back))
				d, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.False(t, d.Allowed, "back %v", back)
				if name == "fixed_window" {
					continue // another process has its own windows; testFixedSkew has their bound
				}
				other, err := build()
				require.NoError(t, err)
				d, err = other.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.False(t, d.Allowed, "back %v", back)
			}
		})
	}
}
