package ratelimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

// clock is a clock that the test moves, also backwards.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time { return time.Unix(0, c.ns.Load()) }

// transactor is a limiter that can take part in a caller's transaction.
type transactor interface {
	TransactItem(key string, now time.Time) (types.TransactWriteItem, func(item) ratelimit.Decision)
}

// algorithm is one limiter configuration with its reference.
type algorithm struct {
	name      string
	limit     int
	unit      time.Duration // a time in which something changes
	back      time.Duration // how far the clock may be behind the latest time it has shown
	limiter   func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error)
	reference func() reference
}

func algorithms() []algorithm {
	bucket := func(rate int, per time.Duration, burst int) algorithm {
		interval := (int64(per) + int64(rate) - 1) / int64(rate)
		return algorithm{
			name: fmt.Sprintf("bucket_%d_per_%v_burst_%d", rate, per, burst), limit: burst, unit: time.Duration(interval), back: time.Hour,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: anyTable(), Rate: rate, Per: per, Burst: burst, Now: now})
			},
			reference: func() reference { return referenceBucket{burst, interval, map[string]credit{}} },
		}
	}
	sliding := func(limit int, window time.Duration) algorithm {
		return algorithm{
			name: fmt.Sprintf("sliding_%d_per_%v", limit, window), limit: limit, unit: window / time.Duration(limit), back: time.Hour,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
			},
			reference: func() reference { return referenceLog{limit, int64(window), map[string][]int64{}} },
		}
	}
	fixed := func(limit int, window time.Duration) algorithm {
		return algorithm{
			name: fmt.Sprintf("fixed_%d_per_%v", limit, window), limit: limit, unit: window / time.Duration(limit), back: 55 * time.Second,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
			},
			reference: func() reference {
				return referenceWindows{limit, int64(window), map[windowOf]int{}, map[callerOf]int64{}}
			},
		}
	}
	return []algorithm{
		bucket(10, time.Second, 50), bucket(3, time.Second, 4), bucket(1, time.Hour, 1),
		sliding(3, time.Hour), sliding(1, time.Second), sliding(20, time.Minute),
		fixed(3, time.Hour), fixed(50, 7*time.Second), fixed(1, time.Second),
	}
}

func anyTable() ratelimit.Table { return ratelimit.Table{Name: "limits"} }

// TestExactModel compares random histories with the reference, a million steps in all: alone, one process, every field of every decision; shared,
// several processes and transactions, where what a process denies from memory may be older news but the decisions stay the same.
func TestExactModel(t *testing.T) {
	t.Parallel()
	const steps = 1_000_000
	all := algorithms()
	for _, a := range all {
		for _, processes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d_processes", a.name, processes), func(t *testing.T) {
				t.Parallel()
				newHistory(t, a, processes, newStore()).run(steps / (2 * len(all)))
			})
		}
	}
}

// history is one random run.
type history struct {
	t        *testing.T
	a        algorithm
	random   *rand.Rand
	clock    *clock
	latest   int64 // the latest time that the clock has shown
	store    *store
	limiters []ratelimit.Limiter
	model    reference
	lastKey  string
	lastN    int
	last     ratelimit.Decision
}

func newHistory(t *testing.T, a algorithm, processes int, s *store) *history {
	h := &history{t: t, a: a, random: rand.New(rand.NewPCG(1, uint64(processes))), clock: newClock(), store: s, model: a.reference()}
	for range processes {
		l, err := a.limiter(s, h.clock.Now)
		require.NoError(t, err)
		h.limiters = append(h.limiters, l)
	}
	return h
}

func (h *history) run(steps int) {
	for range steps {
		h.moveClock()
		h.step()
		if h.t.Failed() {
			return
		}
	}
}

func (h *history) moveClock() {
	now := h.clock.ns.Load()
	switch h.random.IntN(20) {
	case 0, 1, 2, 3:
		now += h.random.Int64N(int64(h.a.unit))
	case 4:
		now += h.random.Int64N(int64(h.a.unit) * int64(2*h.a.limit))
	case 5:
		now -= h.random.Int64N(int64(h.a.unit) * int64(2*h.a.limit))
	case 6, 7:
		now++
	}
	h.setClock(now)
}

func (h *history) setClock(now int64) {
	h.latest = max(h.latest, now)
	h.clock.ns.Store(max(now, h.latest-int64(h.a.back)))
}

func (h *history) step() {
	key := fmt.Sprintf("k%d", h.random.IntN(4))
	switch dice := h.random.IntN(100); {
	case dice < 60:
		h.allow(key, 1)
	case dice < 75:
		h.allow(key, 1+h.random.IntN(h.a.limit))
	case dice < 80:
		h.peek(key)
	case dice < 85 && len(h.limiters) > 1:
		h.transact(key)
	case dice < 86 && len(h.limiters) == 1:
		require.NoError(h.t, h.limiters[0].Reset(context.Background(), key))
		h.model.reset(0, key, h.clock.ns.Load())
	case dice < 88:
		h.store.expire(h.latest / int64(time.Second))
	default:
		h.waitExactly()
	}
}

// allow asks a random process for n units and compares its answer.
func (h *history) allow(key string, n int) {
	caller := h.random.IntN(len(h.limiters))
	d, err := h.limiters[caller].AllowN(context.Background(), key, n)
	require.NoError(h.t, err)
	h.see(caller, key)
	h.compare(caller, key, n, d)
	h.lastKey, h.lastN, h.last = key, n, d
}

// compare checks d against the model and moves the model on.
func (h *history) compare(caller int, key string, n int, d ratelimit.Decision) {
	now := h.clock.ns.Load()
	want := h.model.view(caller, key, now).denial(n)
	if want.RetryAfter == 0 {
		h.model.take(caller, key, n, now)
		want = h.model.view(caller, key, now).admission()
	}
	if !d.Allowed && !want.Allowed && len(h.limiters) > 1 {
		require.LessOrEqual(h.t, d.RetryAfter, want.RetryAfter)
		require.GreaterOrEqual(h.t, d.Remaining, want.Remaining)
		require.Positive(h.t, d.RetryAfter)
		return
	}
	if d != want {
		require.Equal(h.t, want, d, "key %s, n %d, now %d", key, n, now)
	}
}

func (h *history) peek(key string) {
	caller, now := h.random.IntN(len(h.limiters)), h.clock.ns.Load()
	d, err := h.limiters[caller].Peek(context.Background(), key)
	require.NoError(h.t, err)
	want := h.model.view(caller, key, now).denial(1)
	want.Allowed = want.RetryAfter == 0
	require.Equal(h.t, want, d)
}

// transact takes one unit in a transaction, which a clock behind may have to build twice.
func (h *history) transact(key string) {
	caller, now := h.random.IntN(len(h.limiters)), h.clock.Now()
	l, ok := h.limiters[caller].(transactor)
	if !ok {
		return
	}
	d := ratelimit.Decision{Remaining: 1}
	for attempt := 0; !d.Allowed && d.Remaining > 0; attempt++ {
		require.Less(h.t, attempt, 2)
		action, denied := l.TransactItem(key, now)
		old, ok := h.store.transact(action)
		if ok {
			d.Allowed = true
			break
		}
		d = denied(old)
		require.False(h.t, d.Allowed)
		require.Positive(h.t, d.RetryAfter)
		h.see(caller, key)
	}
	want := h.model.view(caller, key, now.UnixNano()).denial(1)
	require.Equal(h.t, want.RetryAfter == 0, d.Allowed)
	if d.Allowed {
		h.model.take(caller, key, 1, now.UnixNano())
		return
	}
	require.Equal(h.t, want, d)
}

// waitExactly repeats the last request, if it was denied, one nanosecond before its RetryAfter and then at it.
func (h *history) waitExactly() {
	if h.last.RetryAfter == 0 {
		return
	}
	key, n, wait := h.lastKey, h.lastN, int64(h.last.RetryAfter)
	start := h.clock.ns.Load()
	h.setClock(start + wait - 1)
	h.allow(key, n)
	h.setClock(start + wait)
	h.allow(key, n)
}

func (h *history) see(caller int, key string) {
	if w, ok := h.model.(referenceWindows); ok {
		w.see(caller, key, h.clock.ns.Load())
	}
}
