package outboxtest

import (
	"bytes"

	"github.com/usercore-go/usercore/outbox"
)

// Report compares what was committed with what was published.
type Report struct {
	// Lost are the ids of events that were committed and not published, Invented those of events that were published and not committed, or
	// not like that.
	Lost, Invented []string
	// OutOfOrder are the ids of events that were published for the first time after a later one of their aggregate.
	OutOfOrder []string
	// Repeated is how often an event was published that had been published before.
	Repeated int
}

// Compare judges a publisher's history. Published is in the order of publication.
func Compare(committed, published []outbox.Event) Report {
	known := make(map[string]outbox.Event, len(committed))
	for _, e := range committed {
		known[e.ID] = e
	}
	var r Report
	seen, highest := make(map[string]bool), make(map[string]int64)
	for _, e := range published {
		original, ok := known[e.ID]
		switch {
		case !ok || !same(original, e):
			r.Invented = append(r.Invented, e.ID)
		case seen[e.ID]:
			r.Repeated++
		default:
			if e.Seq < highest[e.AggregateID] {
				r.OutOfOrder = append(r.OutOfOrder, e.ID)
			}
			highest[e.AggregateID] = max(highest[e.AggregateID], e.Seq)
		}
		seen[e.ID] = true
	}
	for _, e := range committed {
		if !seen[e.ID] {
			r.Lost = append(r.Lost, e.ID)
		}
	}
	return r
}

// same reports whether two events are the same but for the form in which time and payload are written.
func same(a, b outbox.Event) bool {
	encodedA, errA := outbox.Envelope{}.Encode(a)
	encodedB, errB := outbox.Envelope{}.Encode(b)
	return errA == nil && errB == nil && a.Type == b.Type && bytes.Equal(encodedA, encodedB)
}
