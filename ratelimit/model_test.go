package ratelimit_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

// TestExactModel compares random histories with the reference, a million steps in all: alone, one process, every field of every decision;
// shared, several processes and transactions, where what a process denies from memory may be older news but the decisions stay the same.
func TestExactModel(t *testing.T) {
	t.Parallel()
	steps := 1_000_000
	if underRace {
		steps /= 10
	}
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

// TestExactModelOnEngine is the same with fewer steps on a whole DynamoDB, whose interpreter is not this package's.
func TestExactModelOnEngine(t *testing.T) {
	t.Parallel()
	for _, a := range algorithms() {
		for _, processes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/%d_processes", a.name, processes), func(t *testing.T) {
				t.Parallel()
				e := newEngine(t, anyTable(), faults.Plan{Throttle: 0.05, Internal: 0.05, LoseReply: 0.1}, 100)
				newHistory(t, a, processes, engineBackend{e.client, e, t}).run(500)
			})
		}
	}
}

// backend is a table for a history. commit sends a transaction of one action and returns the old item if its condition fails; expire
// deletes what the TTL may have deleted at sec, epoch seconds.
type backend interface {
	ratelimit.Client
	commit(action types.TransactWriteItem) (old item, ok bool)
	expire(sec int64)
}

type engineBackend struct {
	ratelimit.Client
	engine *engine
	t      *testing.T
}

func (b engineBackend) commit(action types.TransactWriteItem) (item, bool) {
	failed, ok := b.engine.transact(b.t, action)
	return failed[0], ok
}

func (b engineBackend) expire(sec int64) {
	for _, it := range b.engine.items(b.t) {
		if expired(it, sec) {
			b.engine.remove(b.t, it)
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
	table    backend
	limiters []ratelimit.Limiter
	model    reference
	lastKey  string
	lastN    int
	last     ratelimit.Decision
}

func newHistory(t *testing.T, a algorithm, processes int, table backend) *history {
	h := &history{t: t, a: a, random: rand.New(rand.NewPCG(1, uint64(processes))), clock: newClock(), table: table, model: a.reference()}
	for range processes {
		l, err := a.limiter(table, h.clock.Now)
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
		h.table.expire(h.latest / int64(time.Second))
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
		old, ok := h.table.commit(action)
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
