package outboxtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// memory is the simplest service that a publisher can have: calls of four entries.
type memory struct {
	mu           sync.Mutex
	taken        [][]byte
	once, always map[string]bool
	down         bool
}

func newMemoryFixture(*testing.T) outboxtest.Fixture {
	m := &memory{once: make(map[string]bool), always: make(map[string]bool)}
	return outboxtest.Fixture{
		Publisher:     m,
		Received:      func() [][]byte { m.mu.Lock(); defer m.mu.Unlock(); return append([][]byte(nil), m.taken...) },
		FailEntry:     func(id string) { m.once[id] = true },
		RejectEntry:   func(id string) { m.always[id] = true },
		FailCalls:     func(fail bool) { m.down = fail },
		MaxEventBytes: 64 << 10,
	}
}

// Publish goes through the helper that authors of publishers have.
func (m *memory) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	return outbox.Batcher[outbox.Entry]{
		MaxEntries:    4,
		MaxBytes:      128 << 10,
		MaxEntryBytes: 64 << 10,
		Encode: func(e outbox.Entry) (outbox.Entry, int, error) {
			encoded, err := outbox.Envelope{}.Encode(e.Event)
			return e, len(encoded), err
		},
		Send:    m.send,
		Refused: func(error) bool { return false },
	}.Publish(ctx, entries)
}

func (m *memory) send(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down || ctx.Err() != nil {
		return nil, errors.New("unreachable")
	}
	results := make([]outbox.Result, len(entries))
	for i, e := range entries {
		id := e.DeduplicationID
		switch {
		case m.once[id]:
			results[i].Code = "Busy"
			delete(m.once, id)
		case m.always[id]:
			results[i] = outbox.Result{Outcome: outbox.Rejected, Code: "Bad"}
		default:
			encoded, err := outbox.Envelope{}.Encode(e.Event)
			if err != nil {
				return nil, err
			}
			m.taken = append(m.taken, encoded)
			results[i].Outcome = outbox.Published
		}
	}
	return results, nil
}
