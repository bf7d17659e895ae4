package ratelimit_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

const (
	burst      = 50
	processes  = 8
	goroutines = 8
	rounds     = 4 // requests of each goroutine
)

// builder makes a limiter of a configuration on a table, as each process would.
type builder = func(ratelimit.Client) (ratelimit.Limiter, error)

// burstOf50 returns the constructors of limiters that admit 50 units while the clock stands.
func burstOf50(now func() time.Time, tuning ratelimit.Tuning, policy ratelimit.FailurePolicy) map[string]builder {
	return map[string]builder{
		"token_bucket": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{
				Table: anyTable(), Rate: 1, Burst: burst, Now: now, Tuning: tuning, OnFailure: policy,
			})
		},
		"sliding_window": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{
				Table: anyTable(), Limit: burst, Window: time.Hour, Now: now, Tuning: tuning, OnFailure: policy,
			})
		},
		"fixed_window": func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{
				Table: anyTable(), Limit: burst, Window: time.Hour, Now: now, Tuning: tuning, OnFailure: policy,
			})
		},
	}
}

// patient gives every request time enough on a busy machine.
var patient = ratelimit.Tuning{Timeout: time.Minute}

// TestExactAdmissions has 64 goroutines in 8 limiters ask for more than there is.
func TestExactAdmissions(t *testing.T) {
	t.Parallel()
	plans := map[string]faults.Plan{
		"no_faults": {},
		"conflicts_and_throttling": {
			Conflict: 0.15, Throttle: 0.1, Internal: 0.05, LoseRequest: 0.05,
		},
		"lost_replies": {LoseReply: 0.2, Conflict: 0.05, Throttle: 0.05},
	}
	for faultName, plan := range plans {
		for name, build := range burstOf50(newClock().Now, patient, ratelimit.Closed) {
			for seed := range uint64(5) {
				t.Run(fmt.Sprintf("%s/%s/%d", name, faultName, seed), func(t *testing.T) {
					t.Parallel()
					plan := plan
					plan.Seed = seed
					e := newEngine(t, anyTable(), plan, 1000)
					admitted := contend(t, e, build)
					if plan.LoseReply == 0 {
						require.EqualValues(t, burst, admitted)
					} else {
						require.LessOrEqual(t, admitted, int64(burst))
						require.Positive(t, admitted)
					}
				})
			}
		}
	}
}

// contend returns how many units the goroutines got of one key. One of them asks for several at a time.
func contend(t *testing.T, e *engine, build builder) int64 {
	var admitted atomic.Int64
	var group sync.WaitGroup
	for range processes {
		l, err := build(e.client)
		require.NoError(t, err)
		for g := range goroutines {
			group.Go(func() {
				units := 1
				if g == 0 {
					units = 3
				}
				for range rounds {
					d, err := l.AllowN(context.Background(), "hot", units)
					if err != nil || d.Degraded {
						t.Errorf("no decision: %v, %v", err, d.Cause)
						return
					}
					if d.Allowed {
						admitted.Add(int64(units))
					}
				}
			})
		}
	}
	group.Wait()
	return admitted.Load()
}

// TestExactLostReply loses the reply of single writes: the retry recognises its own write, so nothing is charged twice.
func TestExactLostReply(t *testing.T) {
	t.Parallel()
	for name, build := range burstOf50(newClock().Now, patient, ratelimit.Closed) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{LoseReply: 0.5}, 1000)
			l, err := build(e.client)
			require.NoError(t, err)
			for i := range burst {
				d, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.True(t, d.Allowed)
				require.Equal(t, burst-1-i, d.Remaining)
			}
			d, err := l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed)
			require.Positive(t, e.faults.Counts()["LoseReply"])
		})
	}
}
