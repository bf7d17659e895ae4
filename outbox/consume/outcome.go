package consume

import "fmt"

// Outcome is what became of one delivery of an event.
type Outcome int

const (
	// Unknown means that no answer came: the event is applied, or it is not. It is the zero value, and comes with an error. Delivering the
	// event again is safe.
	Unknown Outcome = iota
	// Applied means that this delivery changed the item.
	Applied
	// Duplicate means that the event has been applied before, by another delivery or by a try whose reply was lost.
	Duplicate
	// Stale means that the item is further: for state, a later event has replaced this one; for deltas, this one and later ones have been
	// applied.
	Stale
	// Gap means that an earlier event is missing (deltas only). It comes with ErrGap; the message is to go back to the queue.
	Gap
	// Conflict means that another event with the same number has been applied. It comes with ErrConflict, and a person has to look.
	Conflict
)

// Done reports whether the message can be deleted from its queue: Applied, Duplicate or Stale.
func (o Outcome) Done() bool { return o == Applied || o == Duplicate || o == Stale }

// String returns the outcome in lower case, for logs and metrics.
func (o Outcome) String() string {
	switch o {
	case Unknown:
		return "unknown"
	case Applied:
		return "applied"
	case Duplicate:
		return "duplicate"
	case Stale:
		return "stale"
	case Gap:
		return "gap"
	case Conflict:
		return "conflict"
	default:
		return fmt.Sprintf("Outcome(%d)", int(o))
	}
}
