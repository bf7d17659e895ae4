package outbox

import "context"

// Entry is one event on its way to a publisher.
type Entry struct {
	Event Event
	// GroupID names the events that must stay in order among themselves: the aggregate's id.
	GroupID string
	// DeduplicationID is the same whenever the event is sent again: the event's id.
	DeduplicationID string
}

// Outcome is what became of one entry.
type Outcome int

const (
	// Retry means that the entry was not taken, or perhaps not, and may be later. It is the zero value: what is not known to be published
	// is sent again.
	Retry Outcome = iota
	// Published means that the entry was taken for good. Its pack may be deleted.
	Published
	// Rejected means that this very entry will never be taken, however often it is sent.
	Rejected
)

// Result is the outcome of one entry.
type Result struct {
	Outcome Outcome
	// Code is the service's error code, for metrics and dead letters; empty if Published.
	Code string
	// Message is the service's explanation. It must hold nothing of the event's content.
	Message string
}

// Publisher sends events to where their consumers hear of them.
type Publisher interface {
	// Publish sends the entries and returns one result for each, in their order. The relay calls it concurrently, with 1 to
	// RelayConfig.BatchEntries entries of different groups; an entry comes again until its result is Published or Rejected, also when
	// it was published but the answer was lost. An error, or a panic, means that nothing is known of any entry; all of them are sent again.
	// Publish must return soon after ctx ends, and must not change the entries.
	Publish(ctx context.Context, entries []Entry) ([]Result, error)
}

// Checker is implemented by publishers that can tell before the first event whether their target exists.
type Checker interface {
	// Check returns an error if events cannot be published. A relay calls it once when it starts, and does not start on an error.
	Check(ctx context.Context) error
}

// newEntry returns the entry of an event.
func newEntry(e Event) Entry {
	return Entry{Event: e, GroupID: e.AggregateID, DeduplicationID: e.ID}
}
