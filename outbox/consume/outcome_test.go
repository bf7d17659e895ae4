package consume_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// TestOutcome has the table of the package page: an item at event 5 meets each event, once on its own and once as a guard. One write each.
func TestOutcome(t *testing.T) {
	t.Parallel()
	other := event("a", 5)
	other.ID = event("b", 5).ID
	for name, tc := range map[string]struct {
		event        outbox.Event
		state, delta consume.Outcome
	}{
		"next":         {event("a", 6), consume.Applied, consume.Applied},
		"after_a_gap":  {event("a", 7), consume.Applied, consume.Gap},
		"same":         {event("a", 5), consume.Duplicate, consume.Duplicate},
		"same_seq":     {other, consume.Conflict, consume.Conflict},
		"older":        {event("a", 4), consume.Stale, consume.Stale},
		"first_of_new": {event("new", 1), consume.Applied, consume.Applied},
		"later_of_new": {event("new", 2), consume.Applied, consume.Gap},
	} {
		for kind, want := range map[string]consume.Outcome{"state": tc.state, "delta": tc.delta} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, faults.Plan{})
				w.put(t, withPosition(consume.Item{"kept": n(1)}, "a", 5))
				before := w.item(t, tc.event.AggregateID)

				guarded, guardErr := w.transact(t, guardOf(t, w, kind, tc.event))
				require.Equal(t, want, guarded)
				requireError(t, tc.event, want, guardErr)
				if want == consume.Applied {
					return
				}
				alone, err := kinds[kind].apply(t, w)(t.Context(), tc.event)
				require.Equal(t, want, alone)
				requireError(t, tc.event, want, err)
				require.Equal(t, before, w.item(t, tc.event.AggregateID), "nothing has changed")
			})
		}
	}
}

// requireError checks that an outcome comes with the error that belongs to it.
func requireError(t *testing.T, e outbox.Event, outcome consume.Outcome, err error) {
	t.Helper()
	target := map[consume.Outcome]error{consume.Gap: consume.ErrGap, consume.Conflict: consume.ErrConflict}[outcome]
	require.Equal(t, target == nil, outcome.Done())
	if target == nil {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, target)
	order, ok := errors.AsType[*consume.OrderError](err)
	require.True(t, ok)
	require.Equal(t, outcome, order.Outcome)
	require.Equal(t, e.Seq, order.Seq)
	require.Contains(t, err.Error(), e.AggregateID)
}

// TestStartFromCopy gives an item a position without an event's id, as a consumer does that starts from a copy of the data.
func TestStartFromCopy(t *testing.T) {
	t.Parallel()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, last := range []int{0, 5} {
				w := newWorld(t, faults.Plan{})
				w.put(t, consume.Item{"id": s("user/a"), "part": s("view"), "lastSeq": n(last)})
				apply := kind.apply(t, w)
				if last > 0 {
					outcome, err := apply(t.Context(), event("a", last))
					require.NoError(t, err)
					require.Equal(t, consume.Stale, outcome, "the copy has it")
				}
				outcome, err := apply(t.Context(), event("a", last+1))
				require.NoError(t, err)
				require.Equal(t, consume.Applied, outcome)
			}
		})
	}
}

func TestDamagedPosition(t *testing.T) {
	t.Parallel()
	for name, position := range map[string]types.AttributeValue{
		"text": s("5"), "fraction": &types.AttributeValueMemberN{Value: "9.5"}, "too_large": &types.AttributeValueMemberN{Value: "1e30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range kinds {
				w := newWorld(t, faults.Plan{})
				w.put(t, consume.Item{"id": s("user/a"), "part": s("view"), "lastSeq": position})
				before := w.item(t, "a")
				outcome, err := kind.apply(t, w)(t.Context(), event("a", 6))
				require.ErrorIs(t, err, consume.ErrDamaged)
				require.Equal(t, consume.Unknown, outcome)
				require.Equal(t, before, w.item(t, "a"))
			}
		})
	}
}

func TestOutcomeOfAnItemThatCannotFail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	for kind := range kinds {
		for _, old := range []consume.Item{nil, {"lastSeq": n(0)}} {
			outcome, err := guardOf(t, w, kind, event("a", 1)).Outcome(old)
			require.ErrorIs(t, err, consume.ErrDamaged)
			require.Equal(t, consume.Unknown, outcome)
		}
	}
}

func TestMalformedEventIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	for field, spoil := range map[string]func(*outbox.Event){
		"eventId":            func(e *outbox.Event) { e.ID = "" },
		"the aggregate's id": func(e *outbox.Event) { e.AggregateID = "" },
		"seq":                func(e *outbox.Event) { e.Seq = 0 },
	} {
		e := event("a", 1)
		spoil(&e)
		for _, kind := range kinds {
			outcome, err := kind.apply(t, w)(t.Context(), e)
			require.ErrorIs(t, err, consume.ErrMalformed)
			require.ErrorContains(t, err, field)
			require.Equal(t, consume.Unknown, outcome)
		}
	}
	w.requireUpdates(t, 0)
}

func TestOutcomeString(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[consume.Outcome]string{
		consume.Unknown: "unknown", consume.Applied: "applied", consume.Duplicate: "duplicate", consume.Stale: "stale",
		consume.Gap: "gap", consume.Conflict: "conflict", 42: "Outcome(42)",
	} {
		require.Equal(t, want, outcome.String())
	}
}
