package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const (
	// maxEvents is how many published events are kept: the newest ones.
	maxEvents   = 10_000
	eventSource = "user-service"
)

// published is an event as EventBridge hands it to consumers.
type published struct {
	Source     string          `json:"source"`
	DetailType string          `json:"detail-type"`
	Time       time.Time       `json:"time"`
	Detail     json.RawMessage `json:"detail"`

	userID string
}

// eventLog is an outbox.Publisher that keeps what it is to publish.
type eventLog struct {
	mu     sync.Mutex
	events []published // in the order of publishing
}

var _ outbox.Publisher = (*eventLog)(nil)

// Publish keeps the entries.
func (l *eventLog) Publish(_ context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	for i, entry := range entries {
		detail, err := userstore.Envelope().Encode(entry.Event)
		if err != nil {
			results[i] = outbox.Result{Outcome: outbox.Rejected, Code: "Malformed", Message: err.Error()}
			continue
		}
		l.keep(published{
			Source: eventSource, DetailType: entry.Event.Type, Time: entry.Event.Time, Detail: detail, userID: entry.Event.AggregateID,
		})
		results[i].Outcome = outbox.Published
	}
	return results, nil
}

func (l *eventLog) keep(e published) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.events = l.events[max(0, len(l.events)-maxEvents):]
}

// of returns the events of a user in the order of publishing; those of all users when userID is empty.
func (l *eventLog) of(userID string) []published {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := []published{}
	for _, e := range l.events {
		if userID == "" || e.userID == userID {
			found = append(found, e)
		}
	}
	return found
}

// listEvents is GET /dev/events.
func (a *app) listEvents(r *http.Request) (answer, error) {
	return ok(a.events.of(r.URL.Query().Get("userId"))), nil
}

// drainTimeout is how long a stop waits for events that are not published yet; what is left is published after the next start.
const drainTimeout = 1500 * time.Millisecond

// publish runs the relay until ctx ends, and then publishes what still waits.
func (a *app) publish(ctx context.Context) error {
	if err := a.relay.Run(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := a.relay.RunOnce(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}
