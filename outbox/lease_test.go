package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// owners returns how many shards each owner has, "" for those that nobody owns.
func (w *world) owners() map[string]int {
	w.t.Helper()
	owners := make(map[string]int)
	for _, it := range w.items("OUTBOX#RELAYS") {
		if owner, ok := it["owner"]; ok {
			owners[plainValue(owner).(string)]++
		}
	}
	return owners
}

// load commits events of many users until the returned function is called.
func (w *world) load() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			w.together(func() {
				for _, id := range users(12) {
					w.commit(id, 2)
				}
			})
			select {
			case <-done:
				return
			case <-time.After(500 * time.Millisecond):
			}
		}
	}()
	return func() { close(done); <-ended }
}

// TestRelaysComeAndGo has relays that join and leave under load: nothing is repeated when shards change hands in good order.
func TestRelaysComeAndGo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		slow := func(context.Context, []outbox.Entry) error { <-time.After(20 * time.Millisecond); return nil }
		recorder.Before, recorder.After = slow, slow
		stopLoad := w.load()
		var stops []func() error
		for range 3 {
			stops = append(stops, w.run(w.relay(w.client, recorder, outbox.RelayConfig{})))
			<-time.After(5 * time.Second)
		}
		require.Len(t, w.relays(), 3)
		require.NotContains(t, w.owners(), "", "all shards are taken")
		for _, stop := range stops[:2] {
			require.NoError(t, stop())
			<-time.After(5 * time.Second)
		}
		require.Len(t, w.relays(), 1)
		require.Equal(t, map[string]int{w.relays()[0]: testShards}, w.owners())
		stopLoad()
		<-time.After(5 * time.Second)
		require.NoError(t, stops[2]())
		require.Empty(t, w.relays())
		require.Equal(t, map[string]int{"": testShards}, w.owners())
		w.requireAllPublished(recorder.Events(), 0)
	})
}

func TestDeadRelayIsReplaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		ctx, die := context.WithCancel(t.Context())
		p := &process{table: w.db.Transport(), publisher: recorder, die: die}
		dying := w.relay(p.client(w), p, outbox.RelayConfig{LeaseDuration: 20 * time.Second})
		ended := make(chan error)
		go func() { ended <- dying.Run(ctx) }()
		<-time.After(time.Second)
		p.kill()
		<-ended
		w.commit("user-1", 1)

		stop := w.run(w.relay(w.client, recorder, outbox.RelayConfig{LeaseDuration: 20 * time.Second}))
		<-time.After(19 * time.Second)
		require.Empty(t, recorder.Events(), "it may still be alive")
		<-time.After(6 * time.Second) // to the next turn
		require.Len(t, recorder.Events(), 1)
		<-time.After(10 * time.Second)
		require.Len(t, w.relays(), 1, "the dead one's item is removed")
		require.NoError(t, stop())
	})
}

// TestFrozenRelayStopsInTime has a relay whose requests hang: it must not begin a call after three quarters of the lease, and must take its
// shards anew once it is back.
func TestFrozenRelayStopsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		ctx, die := context.WithCancel(t.Context())
		defer die()
		p := &process{table: w.db.Transport(), publisher: recorder, die: die}
		// Only the table hangs, the publisher is reached directly.
		relay := w.relay(p.client(w), recorder, outbox.RelayConfig{})
		ended := make(chan error)
		go func() { ended <- relay.Run(ctx) }()
		<-time.After(time.Second)
		owned := w.owners()
		require.Len(t, owned, 1)
		other := &outboxtest.Recorder{}
		p.freeze(30 * time.Second)
		stop := w.run(w.relay(w.client, other, outbox.RelayConfig{}))
		<-time.After(15 * time.Second)
		w.commit("user-1", 1)
		<-time.After(3 * time.Second)
		require.Len(t, other.Events(), 1, "the other has taken over")
		<-time.After(30 * time.Second) // the frozen one is back, and gets its share
		require.Len(t, w.relays(), 2)
		require.NoError(t, stop())
		<-time.After(5 * time.Second)
		w.commit("user-2", 1)
		<-time.After(3 * time.Second)
		require.Len(t, recorder.Events(), 1)
		die()
		require.NoError(t, <-ended)
	})
}

func TestRunOnceLeavesShardsToARunningRelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, steady, once := newWorld(t), &outboxtest.Recorder{}, &outboxtest.Recorder{}
		stop := w.run(w.relay(w.client, steady, outbox.RelayConfig{}))
		<-time.After(3 * time.Second)
		before := w.owners()
		for _, id := range users(20) {
			w.commit(id, 1)
		}
		require.NoError(t, w.relay(w.client, once, outbox.RelayConfig{}).RunOnce(t.Context()))
		require.Equal(t, before, w.owners())
		require.Empty(t, once.Events())
		require.NoError(t, stop())
		w.requireAllPublished(steady.Events(), 0)
	})
}

func TestTwoJobsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		recorder.Before = func(context.Context, []outbox.Entry) error { <-time.After(50 * time.Millisecond); return nil }
		w.together(func() {
			for range 10 {
				for _, id := range users(40) {
					w.commit(id, 1)
				}
			}
		})
		ended := make(chan error)
		for range 2 {
			go func() { ended <- w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()) }()
		}
		require.NoError(t, <-ended)
		require.NoError(t, <-ended)
		w.requireAllPublished(recorder.Events(), 0)
	})
}

func TestRunOnceReportsADeadPublisher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commit("user-1", 1)
		recorder := &outboxtest.Recorder{Before: func(context.Context, []outbox.Entry) error { return errNoRoute }}
		require.ErrorIs(t, w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()), errNoRoute)
		require.Len(t, w.waiting(), 1)
		require.Equal(t, 1, total(t, w.admin()).Waiting)
		require.Empty(t, w.relays())

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, w.relay(w.client, &outboxtest.Recorder{}, outbox.RelayConfig{}).RunOnce(ctx), context.Canceled)
	})
}
