package account

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/outbox"
)

// Event is something that a change brought about, for others to hear of.
type Event struct {
	// Type is domain.action, as in "email.verified".
	Type string
	// Data is the payload beside userId and the envelope.
	Data map[string]any
}

// WithRequestID returns a context whose changes carry the id of the request that asked for them.
func WithRequestID(ctx context.Context, id string) context.Context {
	return telemetry.WithRequestID(ctx, id)
}

// RequestID is the id that WithRequestID put into ctx, "" for none.
func RequestID(ctx context.Context) string { return telemetry.RequestID(ctx) }

// maxMetadata is how many bytes an outbox takes in each member of an event's metadata.
const maxMetadata = 256

func isMetadata(s string) bool { return len(s) <= maxMetadata && utf8.ValidString(s) }

// checkRequestID refuses an id that events could not carry.
func checkRequestID(ctx context.Context) error {
	if isMetadata(RequestID(ctx)) {
		return nil
	}
	return fmt.Errorf("%w: WithRequestID: the id is not UTF-8 of at most %d bytes", ErrInvalid, maxMetadata)
}

// pack is the part that stores the events of one change of one account, numbered on from the account's seq: they are
// published if and only if the change is committed. There is none without an outbox.
func (k *Kernel) pack(ctx context.Context, userID string, seq int64, events []Event, now time.Time) ([]dynamo.Part, error) {
	if k.outbox == nil {
		return nil, nil
	}
	packed := make([]outbox.Event, len(events))
	for i, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", e.Type, err)
		}
		if e.Data == nil {
			data = nil
		}
		packed[i] = outbox.Event{
			ID: uuid.NewString(), Type: e.Type, AggregateID: userID, Seq: seq + int64(i) + 1, Time: now,
			CorrelationID: RequestID(ctx), Environment: k.environment, Data: data,
		}
	}
	action, err := k.outbox.TransactItem(packed...)
	if err != nil {
		return nil, err
	}
	return []dynamo.Part{dynamo.Raw(action).Guard()}, nil
}

// committed wakes the relay, if there is one in the process.
func (k *Kernel) committed(userIDs ...string) {
	if k.outbox != nil {
		k.outbox.Committed(userIDs...)
	}
}
