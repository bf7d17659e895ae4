package ratelimit_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

func newTransactors(t *testing.T, client ratelimit.Client, now func() time.Time) map[string]transactor {
	t.Helper()
	sliding, err := ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: now})
	require.NoError(t, err)
	fixed, err := ratelimit.NewFixedWindow(client, ratelimit.FixedConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: now})
	require.NoError(t, err)
	return map[string]transactor{"sliding_window": sliding, "fixed_window": fixed}
}

func TestTransactItemDenies(t *testing.T) {
	t.Parallel()
	e := newEngine(t, anyTable(), faults.Plan{}, 3)
	c := newClock()
	for name, l := range newTransactors(t, e.client, c.Now) {
		for range 3 {
			action, _ := l.TransactItem("key", c.Now())
			_, ok := e.transact(t, action)
			require.True(t, ok, name)
		}
		action, denied := l.TransactItem("key", c.Now().Add(time.Minute))
		failed, ok := e.transact(t, action)
		require.False(t, ok)
		want := ratelimit.Decision{Limit: 3, RetryAfter: 59 * time.Minute, ResetAfter: 59 * time.Minute}
		require.Equal(t, want, denied(failed[0]), name)

		action, _ = l.TransactItem("key", c.Now().Add(time.Hour-time.Second))
		_, ok = e.transact(t, action)
		require.False(t, ok, "a second early")
		action, _ = l.TransactItem("key", c.Now().Add(time.Hour))
		_, ok = e.transact(t, action)
		require.True(t, ok, "exactly at RetryAfter")
	}
}

// TestTransactItemIsUndone uses no unit in a transaction that another action cancels.
func TestTransactItemIsUndone(t *testing.T) {
	t.Parallel()
	e := newEngine(t, anyTable(), faults.Plan{}, 3)
	never := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: aws.String(anyTable().Name), Key: item{"PK": s("absent"), "SK": s("absent")},
		ConditionExpression: aws.String("attribute_exists(PK)"),
	}}
	for name, l := range newTransactors(t, e.client, newClock().Now) {
		action, _ := l.TransactItem("key", newClock().Now())
		failed, ok := e.transact(t, action, never)
		require.False(t, ok)
		require.Contains(t, failed, 1)
		d, err := l.(ratelimit.Limiter).Peek(t.Context(), "key")
		require.NoError(t, err)
		require.Equal(t, 3, d.Remaining, name)
	}
}

// TestExactTransactItem has transactions and plain requests compete for the same key.
func TestExactTransactItem(t *testing.T) {
	t.Parallel()
	e := newEngine(t, anyTable(), faults.Plan{Conflict: 0.1}, 1000)
	for name, l := range newTransactors(t, e.client, newClock().Now) {
		var admitted atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				d, err := l.(ratelimit.Limiter).Allow(context.Background(), name)
				if err == nil && d.Allowed {
					admitted.Add(1)
				}
			})
			group.Go(func() {
				action, _ := l.TransactItem(name, newClock().Now())
				for range 100 { // conflicts are the transaction's own to repeat
					failed, ok := e.transact(t, action)
					if ok {
						admitted.Add(1)
					}
					if ok || len(failed) > 0 {
						return
					}
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 3, admitted.Load(), name)
	}
}

// TestTransactItemClockBehind has a caller behind the newest admission: it is told so once, and admitted when it repeats, with the newest
// admission's time: not one that would leave the window early.
func TestTransactItemClockBehind(t *testing.T) {
	t.Parallel()
	e := newEngine(t, anyTable(), faults.Plan{}, 3)
	c := newClock()
	ahead, behind := newTransactors(t, e.client, c.Now)["sliding_window"], newTransactors(t, e.client, c.Now)["sliding_window"]
	action, _ := ahead.TransactItem("key", c.Now())
	_, ok := e.transact(t, action)
	require.True(t, ok)

	late := c.Now().Add(-20 * time.Minute)
	action, denied := behind.TransactItem("key", late)
	failed, ok := e.transact(t, action)
	require.False(t, ok)
	d := denied(failed[0])
	require.False(t, d.Allowed)
	require.Equal(t, 2, d.Remaining)
	require.Positive(t, d.RetryAfter)

	action, _ = behind.TransactItem("key", late)
	_, ok = e.transact(t, action)
	require.True(t, ok)
	stored := e.items(t)[0]
	require.Equal(t, stored["t1"], stored["t2"])
}
