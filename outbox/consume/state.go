package consume

import (
	"context"
	"slices"

	"github.com/usercore-go/usercore/outbox"
)

// StateConfig configures a State.
type StateConfig struct {
	Projection

	// Attributes are the names of all attributes that an event's state is written to; at least one. Each event replaces them all.
	Attributes []string
}

// State applies events that carry state: each says how things are after it, and the last one wins. A late event is left out. Its methods
// may be called concurrently.
type State struct {
	client     Client
	projection Projection
	attributes []string
}

// NewState returns a State, or an error that names the field that is wrong. It sends nothing.
func NewState(client Client, cfg StateConfig) (*State, error) {
	if client == nil {
		return nil, badConfig("client is nil")
	}
	projection, err := cfg.Projection.withDefaults()
	if err != nil {
		return nil, err
	}
	attributes := slices.Sorted(slices.Values(cfg.Attributes))
	switch {
	case len(attributes) == 0:
		return nil, badConfig("Attributes is empty")
	case len(slices.Compact(slices.Clone(attributes))) != len(attributes):
		return nil, badConfig("Attributes has a name twice")
	case attributes[0] == "" || slices.ContainsFunc(attributes, projection.reserves):
		return nil, badConfig("Attributes has an empty name, or one of the key or the position")
	}
	return &State{client: client, projection: projection, attributes: attributes}, nil
}

// Apply replaces the aggregate's state by that of the event, unless the item has that of a later one. Attributes of the configuration that
// the state does not have are removed; after an empty state (the aggregate is gone) only the position is left.
//
// The outcome is Applied, Duplicate, Stale or Conflict. The error is nil for the first three; an *OrderError (ErrConflict) for Conflict;
// ErrMalformed, ErrInvalidChange, ErrDamaged or the client's error otherwise, with Unknown. After the client's error the state may have
// been written, and the same call is safe.
//
// It costs 1 request and 1 write unit per KiB of the item, also when nothing is changed.
func (s *State) Apply(ctx context.Context, e outbox.Event, state Item) (Outcome, error) {
	guard, err := s.Guard(e, state)
	if err != nil {
		return Unknown, err
	}
	return guard.apply(ctx, s.client)
}

// Guard returns what Apply would write, for a transaction of the caller. It sends nothing. It returns ErrMalformed or ErrInvalidChange.
func (s *State) Guard(e outbox.Event, state Item) (*Guard, error) {
	change := Change{Set: state}
	for name := range state {
		if !slices.Contains(s.attributes, name) {
			return nil, badChange("attribute %q is not among StateConfig.Attributes", name)
		}
	}
	for _, name := range s.attributes {
		if _, given := state[name]; !given {
			change.Remove = append(change.Remove, name)
		}
	}
	return s.projection.guard(e, increasing, change)
}
