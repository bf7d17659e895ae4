package outboxtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/outbox"
)

// Fixture is a publisher and the target that it publishes to, real or not, as the suite needs them. The functions may be called
// concurrently with the publisher.
type Fixture struct {
	// Publisher is the one under test.
	Publisher outbox.Publisher
	// Received returns the envelopes of the events that the target has taken, in the order in which it took them.
	Received func() [][]byte
	// FailEntry makes the target refuse the event with the id once, in a way that may pass.
	FailEntry func(eventID string)
	// RejectEntry makes the target refuse the event with the id for good.
	RejectEntry func(eventID string)
	// FailCalls makes calls to the target fail as a whole, before anything is taken, until it is called with false.
	FailCalls func(fail bool)
	// MaxEventBytes is the largest event that the publisher must be able to send, as WriterConfig.MaxEventBytes counts it.
	MaxEventBytes int
}

// TestPublisher is the suite that every publisher must pass. New makes a fixture of its own for each test.
func TestPublisher(t *testing.T, newFixture func(t *testing.T) Fixture) {
	for name, test := range map[string]func(*testing.T, Fixture){
		"takes_all":                  takesAll,
		"takes_more_than_fits":       takesMoreThanFits,
		"large_events":               largeEvents,
		"one_entry_fails":            oneEntryFails,
		"one_entry_rejected":         oneEntryRejected,
		"oversized_entry_rejected":   oversizedEntryRejected,
		"failed_call_claims_nothing": failedCallClaimsNothing,
		"ended_context":              endedContext,
		"concurrent_calls":           concurrentCalls,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newFixture(t))
		})
	}
}

// Entries returns n entries of different aggregates, with events that are valid and different in each call.
func Entries(n int) []outbox.Entry {
	entries := make([]outbox.Entry, n)
	for i := range entries {
		e := outbox.Event{
			ID:            uuid.NewString(),
			Type:          "test.happened",
			AggregateID:   fmt.Sprintf("aggregate-%d", i),
			Seq:           int64(i) + 1,
			Time:          time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC),
			Version:       "1.0",
			CorrelationID: "request-1",
			Environment:   "test",
			Data:          json.RawMessage(fmt.Sprintf(`{"number":%d,"text":"<ä\u2028>"}`, i)),
		}
		entries[i] = outbox.Entry{Event: e, GroupID: e.AggregateID, DeduplicationID: e.ID}
	}
	return entries
}

func takesAll(t *testing.T, f Fixture) {
	entries := Entries(10)
	f.publish(t, entries).want(t, outbox.Published)
	f.requireReceived(t, entries...)
}

func takesMoreThanFits(t *testing.T, f Fixture) {
	entries := Entries(33)
	f.publish(t, entries).want(t, outbox.Published)
	f.requireReceived(t, entries...)
}

func largeEvents(t *testing.T, f Fixture) {
	entries := Entries(10)
	for i := range entries {
		entries[i].Event.Data = filler(f.MaxEventBytes * 9 / 10)
	}
	f.publish(t, entries).want(t, outbox.Published)
	f.requireReceived(t, entries...)
}

// filler returns a payload of n bytes.
func filler(n int) json.RawMessage {
	return json.RawMessage(`{"x":"` + strings.Repeat("x", n-len(`{"x":""}`)) + `"}`)
}

func oneEntryFails(t *testing.T, f Fixture) {
	entries := Entries(10)
	f.FailEntry(entries[3].Event.ID)
	results := f.publish(t, entries)
	results.wantAt(t, 3, outbox.Retry)
	f.requireReceived(t, without(entries, 3)...)
	f.publish(t, entries[3:4]).want(t, outbox.Published)
	f.requireReceived(t, append(without(entries, 3), entries[3])...)
}

func oneEntryRejected(t *testing.T, f Fixture) {
	entries := Entries(10)
	f.RejectEntry(entries[7].Event.ID)
	f.publish(t, entries).wantAt(t, 7, outbox.Rejected)
	f.requireReceived(t, without(entries, 7)...)
	f.publish(t, entries[7:8]).want(t, outbox.Rejected)
}

func oversizedEntryRejected(t *testing.T, f Fixture) {
	entries := Entries(4)
	entries[2].Event.Data = filler(2 << 20)
	f.publish(t, entries).wantAt(t, 2, outbox.Rejected)
	f.requireReceived(t, without(entries, 2)...)
}

func failedCallClaimsNothing(t *testing.T, f Fixture) {
	entries := Entries(10)
	f.FailCalls(true)
	if results, err := f.Publisher.Publish(t.Context(), entries); err == nil {
		answer(results).want(t, outbox.Retry)
	}
	f.requireReceived(t)
	f.FailCalls(false)
	f.publish(t, entries).want(t, outbox.Published)
	f.requireReceived(t, entries...)
}

func endedContext(t *testing.T, f Fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if results, err := f.Publisher.Publish(ctx, Entries(10)); err == nil {
		answer(results).want(t, outbox.Retry)
	}
	f.requireReceived(t)
}

func concurrentCalls(t *testing.T, f Fixture) {
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() { f.publish(t, Entries(10)).want(t, outbox.Published) })
	}
	calls.Wait()
	if n := len(f.Received()); n != 80 {
		t.Errorf("received %d events, want 80", n)
	}
}

// answer is the results of one call.
type answer []outbox.Result

func (f Fixture) publish(t *testing.T, entries []outbox.Entry) answer {
	t.Helper()
	results, err := f.Publisher.Publish(t.Context(), entries)
	if err != nil {
		t.Errorf("Publish: %v", err)
	}
	if len(results) != len(entries) {
		t.Errorf("Publish returned %d results for %d entries", len(results), len(entries))
	}
	return results
}

// want checks that all results are the same.
func (a answer) want(t *testing.T, want outbox.Outcome) {
	t.Helper()
	for i, r := range a {
		if r.Outcome != want {
			t.Errorf("result %d is %+v, want outcome %d", i, r, want)
		}
	}
}

// wantAt checks that one result is as wanted, with a code, and that all others are Published.
func (a answer) wantAt(t *testing.T, index int, want outbox.Outcome) {
	t.Helper()
	for i, r := range a {
		switch {
		case i != index && r.Outcome != outbox.Published:
			t.Errorf("result %d is %+v, want Published", i, r)
		case i == index && (r.Outcome != want || r.Code == ""):
			t.Errorf("result %d is %+v, want outcome %d and a code", i, r, want)
		}
	}
}

// requireReceived checks that the target has taken exactly these events, in this order.
func (f Fixture) requireReceived(t *testing.T, entries ...outbox.Entry) {
	t.Helper()
	received := f.Received()
	if len(received) != len(entries) {
		t.Fatalf("received %d events, want %d", len(received), len(entries))
	}
	for i, e := range entries {
		want, err := outbox.Envelope{}.Encode(e.Event)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(received[i], want) {
			t.Errorf("event %d arrived as %.300s, want %.300s", i, received[i], want)
		}
	}
}

func without(entries []outbox.Entry, index int) []outbox.Entry {
	return append(entries[:index:index], entries[index+1:]...)
}
