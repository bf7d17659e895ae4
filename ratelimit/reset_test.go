package ratelimit_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

// TestReset shows what a reset does, and that another process goes on denying what it knows.
func TestReset(t *testing.T) {
	t.Parallel()
	for name, build := range limiterOf3 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{}, 3)
			l, err := build(e.client)
			require.NoError(t, err)
			other, err := build(e.client)
			require.NoError(t, err)

			_, err = l.AllowN(t.Context(), "key", 3)
			require.NoError(t, err)
			d, err := l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed)
			_, err = other.AllowN(t.Context(), "key", 2)
			require.NoError(t, err)

			require.NoError(t, l.Reset(t.Context(), "key"))
			require.NoError(t, l.Reset(t.Context(), "key"), "a key that is unused already")
			require.Empty(t, e.items(t))
			d, err = l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.True(t, d.Allowed)
			require.Equal(t, 2, d.Remaining)

			d, err = other.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed, "the other process denies from memory")
		})
	}
}

// TestResetElsewhere leaves a process with a memory that is too high: what it guesses is corrected, and the bucket does not fill above its
// burst.
func TestResetElsewhere(t *testing.T) {
	t.Parallel()
	e, c := newEngine(t, anyTable(), faults.Plan{}, 3), newClock()
	build := func() *ratelimit.TokenBucket {
		l, err := ratelimit.NewTokenBucket(e.client, ratelimit.BucketConfig{Table: anyTable(), Rate: 3, Per: time.Hour, Now: c.Now})
		require.NoError(t, err)
		return l
	}
	l, other := build(), build()
	_, err := l.AllowN(t.Context(), "key", 2) // used up until 40 minutes from now, as l knows
	require.NoError(t, err)
	require.NoError(t, other.Reset(t.Context(), "key"))
	_, err = other.Allow(t.Context(), "key") // until 20 minutes from now
	require.NoError(t, err)

	c.ns.Add(int64(30 * time.Minute))
	d, err := l.Allow(t.Context(), "key")
	require.NoError(t, err)
	require.Equal(t, ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 2, ResetAfter: 20 * time.Minute}, d)

	require.NoError(t, other.Reset(t.Context(), "key"))
	d, err = l.Allow(t.Context(), "key")
	require.NoError(t, err)
	require.Equal(t, ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 2, ResetAfter: 20 * time.Minute}, d, "the item is gone")
}

// TestResetDuringWrite resets between a write and its reply: what the reply says is no longer remembered.
func TestResetDuringWrite(t *testing.T) {
	t.Parallel()
	for name, build := range limiterOf3 {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				table := newStore()
				reply := make(chan struct{})
				table.after = func() { <-reply }
				l, err := build(table)
				require.NoError(t, err)
				var group sync.WaitGroup
				group.Go(func() {
					if d, err := l.AllowN(t.Context(), "key", 3); err != nil || !d.Allowed {
						t.Errorf("got %+v, %v", d, err)
					}
				})
				synctest.Wait()
				require.NoError(t, l.Reset(t.Context(), "key"))
				close(reply)
				group.Wait()
				d, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.True(t, d.Allowed)
			})
		})
	}
}
