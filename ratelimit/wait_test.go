package ratelimit_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

func newBucket(t *testing.T, table ratelimit.Client, tuning ratelimit.Tuning) *ratelimit.TokenBucket {
	t.Helper()
	l, err := ratelimit.NewTokenBucket(table, ratelimit.BucketConfig{Table: anyTable(), Rate: 1, Burst: 1, Tuning: tuning})
	require.NoError(t, err)
	return l
}

func TestWaitAdmitsAfterRetryAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newBucket(t, newStore(), ratelimit.Tuning{})
		start := time.Now()
		for i := range 3 {
			require.NoError(t, l.Wait(t.Context(), "key"))
			require.Equal(t, time.Duration(i)*time.Second, time.Since(start))
		}
	})
}

func TestWaitGivesUpAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newBucket(t, newStore(), ratelimit.Tuning{MaxWait: 900 * time.Millisecond})
		require.NoError(t, l.Wait(t.Context(), "key"))
		start := time.Now()
		require.ErrorIs(t, l.Wait(t.Context(), "key"), ratelimit.ErrLimited)
		require.Zero(t, time.Since(start))
	})
	synctest.Test(t, func(t *testing.T) {
		l := newBucket(t, newStore(), ratelimit.Tuning{})
		require.NoError(t, l.Wait(t.Context(), "key"))
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		defer cancel()
		start := time.Now()
		require.ErrorIs(t, l.Wait(ctx, "key"), ratelimit.ErrLimited)
		require.Zero(t, time.Since(start))
	})
}

// TestWaitIsBounded has more callers wait than can be served in MaxWait.
func TestWaitIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newBucket(t, newStore(), ratelimit.Tuning{MaxWait: 3 * time.Second})
		var group sync.WaitGroup
		var mu sync.Mutex
		results := make(map[error]int)
		start := time.Now()
		for range 10 {
			group.Go(func() {
				err := l.Wait(t.Context(), "key")
				mu.Lock()
				defer mu.Unlock()
				results[err]++
			})
		}
		group.Wait()
		require.LessOrEqual(t, time.Since(start), 3*time.Second)
		require.Equal(t, 10, results[nil]+results[ratelimit.ErrLimited])
		require.GreaterOrEqual(t, results[nil], 3)
		require.LessOrEqual(t, results[nil], 4)
	})
}

func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newBucket(t, newStore(), ratelimit.Tuning{})
		require.NoError(t, l.Wait(t.Context(), "key"))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		start := time.Now()
		require.ErrorIs(t, l.Wait(ctx, "key"), context.Canceled)
		require.Equal(t, 300*time.Millisecond, time.Since(start))
	})
}

func TestWaitReportsFailure(t *testing.T) {
	t.Parallel()
	table := newStore()
	table.before = down
	err := newBucket(t, table, ratelimit.Tuning{}).Wait(t.Context(), "key")
	require.ErrorIs(t, err, errDown)
	require.False(t, errors.Is(err, ratelimit.ErrLimited))
}
