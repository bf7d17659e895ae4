package outboxtest

import (
	"context"
	"slices"
	"sync"

	"github.com/usercore-go/usercore/outbox"
)

// Recorder is a publisher that keeps what it is given. The zero value takes everything. It may be used concurrently.
type Recorder struct {
	// Answer, if set, says what becomes of an entry; nil publishes all. It may be called concurrently.
	Answer func(outbox.Entry) outbox.Result
	// Before, if set, is called at the start of each call, and fails the call with its error. Nothing is published then.
	Before func(ctx context.Context, entries []outbox.Entry) error
	// After, if set, is called at the end of each call, and fails the call with its error although its events are published.
	After func(ctx context.Context, entries []outbox.Entry) error

	mu     sync.Mutex
	events []outbox.Event
	calls  []int
}

// Publish records the entries that Answer lets pass.
func (r *Recorder) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	if r.Before != nil {
		if err := r.Before(ctx, entries); err != nil {
			return nil, err
		}
	}
	results := make([]outbox.Result, len(entries))
	for i, e := range entries {
		results[i] = outbox.Result{Outcome: outbox.Published}
		if r.Answer != nil {
			results[i] = r.Answer(e)
		}
	}
	r.record(entries, results)
	if r.After != nil {
		if err := r.After(ctx, entries); err != nil {
			return nil, err
		}
	}
	return results, nil
}

func (r *Recorder) record(entries []outbox.Entry, results []outbox.Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, len(entries))
	for i, e := range entries {
		if results[i].Outcome == outbox.Published {
			r.events = append(r.events, e.Event)
		}
	}
}

// Events returns the events published so far, in the order of publication, repeated ones too.
func (r *Recorder) Events() []outbox.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// Calls returns the number of entries of each call so far that Before did not fail.
func (r *Recorder) Calls() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}
