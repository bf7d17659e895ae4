package outbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// history is what the killed relay finds: packs of one and of several events, an event that is rejected for good, one that fails often.
func history(w *world) {
	for range 3 {
		for i, id := range users(6) {
			w.commit(id, 1+i%3)
		}
	}
	w.commitOfType("user-02", "poison", 2)
	w.commit("user-02", 1)
	w.commitOfType("user-04", "flaky", 1)
	w.commit("user-04", 1)
}

// picky answers for a publisher that rejects poison, and takes the flaky only after several attempts.
func picky() func(outbox.Entry) outbox.Result {
	var mu sync.Mutex
	attempts := make(map[string]int)
	return func(e outbox.Entry) outbox.Result {
		mu.Lock()
		defer mu.Unlock()
		attempts[e.DeduplicationID]++
		switch {
		case e.Event.Type == "poison":
			return outbox.Result{Outcome: outbox.Rejected, Code: "MalformedDetail"}
		case e.Event.Type == "flaky" && attempts[e.DeduplicationID] < 5:
			return outbox.Result{Outcome: outbox.Retry, Code: "InternalFailure"}
		default:
			return outbox.Result{Outcome: outbox.Published}
		}
	}
}

// TestRelayKilledAnywhere kills a relay at each of its requests in turn, before its execution and, of those that change something, after it,
// and lets another one go on.
func TestRelayKilledAnywhere(t *testing.T) {
	t.Parallel()
	step := 1
	if underRace {
		step = 3
	}
	for executed, requests := range map[bool]int{false: 50, true: 30} {
		t.Run(fmt.Sprintf("executed_%v", executed), func(t *testing.T) {
			t.Parallel()
			deaths := 0
			for at, died := 1, true; died; at, deaths = at+step, deaths+1 {
				synctest.Test(t, func(t *testing.T) { at, died = killAt(t, at, executed) })
			}
			require.Greater(t, deaths, requests/step, "requests of a whole run")
		})
	}
}

// killAt plays one death and returns the request at which it came. It reports false if the relay was through before.
func killAt(t *testing.T, at int, executed bool) (diedAt int, died bool) {
	w := newWorld(t)
	recorder := &outboxtest.Recorder{Answer: picky()}
	w.together(func() { history(w) })

	ctx, die := context.WithCancel(t.Context())
	defer die()
	p := &process{at: at, executed: executed, table: w.db.Transport(), publisher: recorder, die: die}
	cfg := outbox.RelayConfig{Publishing: outbox.Publishing{BatchEntries: 3, Concurrency: 2}}
	if err := w.relay(p.client(w), p, cfg).RunOnce(ctx); !p.isDead() {
		require.NoError(t, err)
	}
	inFlight := publishedAndWaiting(w, recorder.Events())
	require.LessOrEqual(t, inFlight, 25+2*3, "a request of deletions and the calls in flight, killed at %d", at)

	heir := w.relay(w.client, recorder, cfg)
	for runs := 0; runs == 0 || len(w.waiting()) > 0 && runs < 5; runs++ { // the flaky event is left to later runs
		require.NoError(t, heir.RunOnce(t.Context()))
		<-time.After(time.Minute)
	}
	report := outboxtest.Compare(w.committed, recorder.Events())
	require.Len(t, report.Lost, 2, "only what is dead, killed at %d", at)
	require.Len(t, w.dead(), 2)
	require.Empty(t, report.Invented, "killed at %d", at)
	require.Empty(t, report.OutOfOrder, "killed at %d", at)
	require.LessOrEqual(t, report.Repeated, inFlight, "killed at %d", at)
	require.Empty(t, w.waiting(), "killed at %d", at)
	return p.diedAt, p.isDead()
}

// publishedAndWaiting counts the events that were published and whose packs are still there: those that a crash repeats.
func publishedAndWaiting(w *world, published []outbox.Event) int {
	w.t.Helper()
	waiting := make(map[string]bool)
	for _, it := range w.waiting() {
		for _, id := range waitingEvents(w.t, it) {
			waiting[id] = true
		}
	}
	n := 0
	for _, e := range published {
		if waiting[e.ID] {
			n++
		}
	}
	return n
}

// waitingEvents returns the ids of a pack's events that are not done.
func waitingEvents(t *testing.T, it item) []string {
	t.Helper()
	events := plainValue(it["events"]).([]any)
	done := 0
	if n, ok := it["done"]; ok {
		require.NoError(t, scan(plainValue(n), &done))
	}
	var ids []string
	for _, e := range events[done:] {
		ids = append(ids, e.(map[string]any)["id"].(string))
	}
	return ids
}
