package ratelimit_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

var errDown = errors.New("database is down")

func down(context.Context, string) error { return errDown }

// hang blocks every request until its context ends.
func hang(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestExactFailures(t *testing.T) {
	t.Parallel()
	for policy, want := range map[ratelimit.FailurePolicy]ratelimit.Decision{
		ratelimit.Closed: {Limit: burst, RetryAfter: time.Second, Degraded: true},
		ratelimit.Open:   {Allowed: true, Limit: burst, Degraded: true},
	} {
		for name, build := range burstOf50(newClock().Now, ratelimit.Tuning{}, policy) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				table := newStore()
				l, err := build(table)
				require.NoError(t, err)

				table.before = down
				for _, ask := range []func(context.Context, string) (ratelimit.Decision, error){l.Allow, l.Peek} {
					d, err := ask(t.Context(), "key")
					require.NoError(t, err)
					require.ErrorIs(t, d.Cause, errDown)
					d.Cause = nil
					require.Equal(t, want, d)
				}
				require.ErrorIs(t, l.Reset(t.Context(), "key"), errDown)

				table.before = nil
				d, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.Equal(t, burst-1, d.Remaining, "a failure that wrote nothing used nothing")
			})
		}
	}
}

// TestExactFailuresTimeout lets requests hang: the policy decides after Tuning.Timeout, for all callers that share the request.
func TestExactFailuresTimeout(t *testing.T) {
	t.Parallel()
	for name := range burstOf50(nil, ratelimit.Tuning{}, ratelimit.Open) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				table := newStore()
				table.before = hang
				l, err := burstOf50(time.Now, ratelimit.Tuning{Timeout: 300 * time.Millisecond}, ratelimit.Open)[name](table)
				require.NoError(t, err)
				var group sync.WaitGroup
				start := time.Now()
				for range 10 {
					group.Go(func() {
						d, err := l.Allow(t.Context(), "key")
						if err != nil || !d.Degraded || !d.Allowed || !errors.Is(d.Cause, context.DeadlineExceeded) {
							t.Errorf("got %+v, %v", d, err)
						}
					})
				}
				group.Wait()
				require.LessOrEqual(t, time.Since(start), 600*time.Millisecond, "one request under way, and one that the others share")
				require.LessOrEqual(t, table.requests(), 2)
			})
		})
	}
}

// TestExactFailuresConflict meets somebody's transaction on the item: the write is repeated although the SDK alone would not.
func TestExactFailuresConflict(t *testing.T) {
	t.Parallel()
	for name, build := range burstOf50(newClock().Now, patient, ratelimit.Closed) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{}, 3)
			l, err := build(e.client)
			require.NoError(t, err)
			e.faults.Next(faults.Conflict{}, nil)
			e.faults.Next(faults.Conflict{}, nil)
			d, err := l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.True(t, d.Allowed)
			require.Zero(t, e.faults.Pending())

			e.faults.Next(faults.Conflict{}, nil)
			require.NoError(t, l.Reset(t.Context(), "key"))
			require.Empty(t, e.items(t))
		})
	}
}

// TestExactFailuresMissingTable shows a mistake in the configuration: a decision by the policy, with the reason.
func TestExactFailuresMissingTable(t *testing.T) {
	t.Parallel()
	e := newEngine(t, ratelimit.Table{Name: "another"}, faults.Plan{}, 1)
	for name, build := range burstOf50(newClock().Now, patient, ratelimit.Closed) {
		l, err := build(e.client)
		require.NoError(t, err)
		d, err := l.Allow(t.Context(), "key")
		require.NoError(t, err)
		require.False(t, d.Allowed, name)
		require.ErrorContains(t, d.Cause, "ResourceNotFoundException")
	}
}

// TestExactFailuresSilentServer refuses without the old item, as DynamoDB did before it could return it: the policy decides after some
// requests.
func TestExactFailuresSilentServer(t *testing.T) {
	t.Parallel()
	for name, build := range burstOf50(newClock().Now, patient, ratelimit.Closed) {
		table := newStore()
		table.before = func(context.Context, string) error { return &types.ConditionalCheckFailedException{} }
		l, err := build(table)
		require.NoError(t, err)
		d, err := l.Allow(t.Context(), "key")
		require.NoError(t, err)
		require.True(t, d.Degraded, name)
		require.LessOrEqual(t, table.requests(), 50)
	}
}
