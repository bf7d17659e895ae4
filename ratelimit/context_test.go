package ratelimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

// The tests of this file run in synctest bubbles, which fail if a goroutine is left behind.

func TestContextEndsBeforeRequest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, build := range burstOf50(newClock().Now, ratelimit.Tuning{}, ratelimit.Open) {
		table := newStore()
		l, err := build(table)
		require.NoError(t, err)
		_, err = l.Allow(ctx, "key")
		require.ErrorIs(t, err, context.Canceled, name)
		_, err = l.Peek(ctx, "key")
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, l.Reset(ctx, "key"), context.Canceled)
		require.ErrorIs(t, l.Wait(ctx, "key"), context.Canceled)
		require.Zero(t, table.requests())
	}
}

func TestContextEndsDuringRequest(t *testing.T) {
	t.Parallel()
	calls := map[string]func(ratelimit.Limiter, context.Context) error{
		"allow": func(l ratelimit.Limiter, ctx context.Context) error { _, err := l.Allow(ctx, "key"); return err },
		"peek":  func(l ratelimit.Limiter, ctx context.Context) error { _, err := l.Peek(ctx, "key"); return err },
		"reset": func(l ratelimit.Limiter, ctx context.Context) error { return l.Reset(ctx, "key") },
		"wait":  func(l ratelimit.Limiter, ctx context.Context) error { return l.Wait(ctx, "key") },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				table := newStore()
				table.before = hang
				l, err := burstOf50(time.Now, ratelimit.Tuning{Timeout: time.Hour}, ratelimit.Open)["token_bucket"](table)
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				start := time.Now()
				require.ErrorIs(t, call(l, ctx), context.Canceled)
				require.Equal(t, time.Second, time.Since(start))
			})
		})
	}
}

// TestContextOfOneCallerEnds cancels some of the callers that share a write: the others get their answer.
func TestContextOfOneCallerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newStore()
		gate := make(chan struct{})
		table.before = func(ctx context.Context, _ string) error {
			select {
			case <-gate:
			case <-ctx.Done():
			}
			return nil
		}
		l, err := burstOf50(time.Now, ratelimit.Tuning{Timeout: time.Hour}, ratelimit.Closed)["token_bucket"](table)
		require.NoError(t, err)

		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		var allowed, cancelled atomic.Int32
		ask := func(ctx context.Context) {
			if d, err := l.Allow(ctx, "key"); err != nil {
				cancelled.Add(1)
			} else if d.Allowed {
				allowed.Add(1)
			}
		}
		group.Go(func() { ask(ctx) })
		synctest.Wait() // its write is under way, the others line up
		for i := range 6 {
			group.Go(func() { ask([]context.Context{ctx, t.Context()}[i%2]) })
		}
		synctest.Wait()
		cancel()
		synctest.Wait()
		require.EqualValues(t, 4, cancelled.Load())
		close(gate)
		group.Wait()
		require.EqualValues(t, 3, allowed.Load())
		d, err := l.Peek(t.Context(), "key")
		require.NoError(t, err)
		require.Equal(t, burst-3, d.Remaining, "requests that were given up before they were sent use nothing")
	})
}

// TestContextOfLastCallerEnds ends the write of a batch when nobody waits for it, also if some had left before it was sent.
func TestContextOfLastCallerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		table := newStore()
		var sent int
		var ended time.Time
		table.before = func(ctx context.Context, op string) error {
			if sent++; sent == 1 {
				return slow(ctx, op)
			}
			err := hang(ctx, op)
			ended = time.Now()
			return err
		}
		l, err := burstOf50(time.Now, ratelimit.Tuning{Timeout: time.Hour}, ratelimit.Closed)["token_bucket"](table)
		require.NoError(t, err)
		start := time.Now()
		var group sync.WaitGroup
		for _, patience := range []time.Duration{time.Hour, time.Millisecond, time.Second, 2 * time.Second} {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, _ = l.Allow(ctx, "key")
			})
			synctest.Wait() // in line
		}
		group.Wait()
		synctest.Wait()
		require.Equal(t, 2, sent)
		require.Equal(t, 2*time.Second, ended.Sub(start))
	})
}

// TestContextValuesReachClient keeps a trace together.
func TestContextValuesReachClient(t *testing.T) {
	t.Parallel()
	type traceKey struct{}
	table := newStore()
	table.before = func(ctx context.Context, op string) error {
		if ctx.Value(traceKey{}) != "trace" {
			t.Errorf("%s without the caller's values", op)
		}
		return nil
	}
	l, err := burstOf50(time.Now, ratelimit.Tuning{}, ratelimit.Closed)["token_bucket"](table)
	require.NoError(t, err)
	ctx := context.WithValue(t.Context(), traceKey{}, "trace")
	_, err = l.Allow(ctx, "key")
	require.NoError(t, err)
}
