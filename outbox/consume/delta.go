package consume

import (
	"context"

	"github.com/usercore-go/usercore/outbox"
)

// DeltaConfig configures a Delta.
type DeltaConfig struct {
	Projection
}

// Delta applies events that carry changes: each is applied once, right after its predecessor. A Delta must get every event of an aggregate,
// also those that change nothing for it: one that is filtered out on the way is a gap that nothing fills. Its methods may be called
// concurrently.
type Delta struct {
	client     Client
	projection Projection
}

// NewDelta returns a Delta, or an error that names the field that is wrong. It sends nothing.
func NewDelta(client Client, cfg DeltaConfig) (*Delta, error) {
	if client == nil {
		return nil, badConfig("client is nil")
	}
	projection, err := cfg.Projection.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Delta{client: client, projection: projection}, nil
}

// Apply makes the change if the event is the next one of its aggregate: number 1 for an aggregate that is new.
//
// The outcome is Applied, Duplicate, Stale, Gap or Conflict. The error is nil for the first three; an *OrderError for Gap (ErrGap) and
// Conflict (ErrConflict); ErrMalformed, ErrInvalidChange, ErrDamaged or the client's error otherwise, with Unknown. After the client's
// error the change may have been made, and the same call is safe: it is not made twice.
//
// It costs 1 request and 1 write unit per KiB of the item, also when nothing is changed.
func (d *Delta) Apply(ctx context.Context, e outbox.Event, change Change) (Outcome, error) {
	guard, err := d.Guard(e, change)
	if err != nil {
		return Unknown, err
	}
	return guard.apply(ctx, d.client)
}

// Guard returns what Apply would write, for a transaction of the caller. It sends nothing. It returns ErrMalformed or ErrInvalidChange.
func (d *Delta) Guard(e outbox.Event, change Change) (*Guard, error) {
	return d.projection.guard(e, contiguous, change)
}
