package outbox_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

func TestRunOnceDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for round := range 5 {
			for _, id := range users(20) {
				w.commit(id, 1+round%3)
			}
		}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		require.NoError(t, relay.RunOnce(t.Context()))
		w.requireAllPublished(recorder.Events(), 0)
		require.Empty(t, w.relays(), "relays left behind")
		stats := relay.Stats()
		require.EqualValues(t, len(w.committed), stats.Published)
		require.EqualValues(t, 100, stats.Deleted)
		t.Log(recorder.Calls(), w.db.Usage())
	})
}

func TestRunPublishesWhatComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		stop := w.run(relay)
		for range 30 {
			for _, id := range users(7) {
				w.commit(id, 1)
			}
			<-time.After(time.Second)
		}
		require.NoError(t, stop())
		w.requireAllPublished(recorder.Events(), 0)
	})
}
