package main

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const (
	// maxEvents is how many published events are kept: the newest ones.
	maxEvents = 10_000
	// eventSource is the source of every entry, by which rules on a bus select.
	eventSource = "user-service"

	// leaseDuration is how long events wait after a start that follows a crash: the relay that crashed has to be taken for dead.
	leaseDuration = 2 * time.Second
	// shutdownTimeout is how long the relay finishes what is in flight, and drainTimeout how long a stop then waits for events that
	// are not published yet; what is left is published after the next start.
	shutdownTimeout = 500 * time.Millisecond
	drainTimeout    = time.Second
)

// published is an event as EventBridge hands it to consumers, as far as the service fills it in.
type published struct {
	Source     string          `json:"source"`
	DetailType string          `json:"detail-type"`
	Time       time.Time       `json:"time"`
	Detail     json.RawMessage `json:"detail"`

	userID string
}

// eventLog is an outbox.Publisher that keeps what it is to publish, and the one consumer behind the bus.
type eventLog struct {
	// follower makes the user pool follow the accounts.
	follower *cognitosync.Syncer

	mu     sync.Mutex
	events []published // in the order of publishing
}

var _ outbox.Publisher = (*eventLog)(nil)

// Publish keeps the entries. One that the follower cannot follow comes again.
func (l *eventLog) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	for i, entry := range entries {
		detail, err := userstore.Envelope().Encode(entry.Event)
		if err != nil {
			results[i] = outbox.Result{Outcome: outbox.Rejected, Code: "Malformed", Message: err.Error()}
			continue
		}
		e := published{
			Source: eventSource, DetailType: entry.Event.Type, Time: entry.Event.Time, Detail: detail, userID: entry.Event.AggregateID,
		}
		if err := l.follow(ctx, e); err != nil {
			results[i] = outbox.Result{Outcome: outbox.Retry, Code: "NotFollowed", Message: err.Error()}
			continue
		}
		l.keep(e)
		results[i].Outcome = outbox.Published
	}
	return results, nil
}

func (l *eventLog) follow(ctx context.Context, e published) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return l.follower.HandleEvent(ctx, text)
}

func (l *eventLog) keep(e published) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.events = l.events[max(0, len(l.events)-maxEvents):] // append moves them to the front when it runs out of room
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
