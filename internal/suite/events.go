package suite

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
	"github.com/usercore-go/usercore/userstore"
)

// Events drains the outbox and returns what a relay publishes of it, in the order of each account.
func (w *World) Events(t testing.TB) []outbox.Event {
	t.Helper()
	recorder := &outboxtest.Recorder{}
	relay, err := outbox.NewRelay(w.plain, recorder, outbox.RelayConfig{Table: outbox.Table{Name: w.Config.Table}})
	require.NoError(t, err)
	require.NoError(t, relay.RunOnce(context.WithoutCancel(t.Context())))
	return recorder.Events()
}

// EventTypes are the types of the events of one account, in their order.
func (w *World) EventTypes(t testing.TB, userID string) []string {
	t.Helper()
	var types []string
	for _, e := range w.Events(t) {
		if e.AggregateID == userID {
			types = append(types, e.Type)
		}
	}
	return types
}

// CheckEvents is an error unless each account's events are numbered 1, 2, 3… up to its seq.
func (w *World) CheckEvents(t testing.TB) error {
	t.Helper()
	last := map[string]int64{}
	for _, e := range w.Events(t) {
		if last[e.AggregateID]++; e.Seq != last[e.AggregateID] {
			return fmt.Errorf("an event of %s has number %d, not %d", e.AggregateID, e.Seq, last[e.AggregateID])
		}
	}
	for user, err := range w.Users.All(t.Context(), userstore.Segment{}) {
		if err != nil {
			return err
		}
		if seq := w.Seq(t, user.UserID); seq != fmt.Sprint(last[user.UserID]) {
			return fmt.Errorf("%s has seq %s and %d events", user.UserID, seq, last[user.UserID])
		}
	}
	return nil
}
