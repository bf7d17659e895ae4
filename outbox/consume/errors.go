package consume

import (
	"errors"
	"fmt"
)

var (
	// ErrMalformed says that a message is no event that the package can read, however often it is delivered. The error that wraps it is an
	// *EventError.
	ErrMalformed = errors.New("consume: malformed event")

	// ErrGap says that an event came before its predecessor. It is to go back to the queue. The error that wraps it is an *OrderError.
	ErrGap = errors.New("consume: an earlier event is missing")

	// ErrConflict says that two events of one aggregate have the same number: the producer is broken, and a person has to look. The error
	// that wraps it is an *OrderError.
	ErrConflict = errors.New("consume: another event has the same number")

	// ErrDamaged says that the consumer's item holds what this package never writes. Nothing was written.
	ErrDamaged = errors.New("consume: the item is damaged")

	// ErrInvalidChange says that a change cannot be written, or would make the result depend on the order of delivery. Nothing was sent.
	ErrInvalidChange = errors.New("consume: invalid change")

	// ErrInProgress says that another delivery of the event is being acted on. The message is to go back to the queue.
	ErrInProgress = errors.New("consume: another delivery of the event is in progress")

	// ErrClaimLost says that acting took longer than the claim lasts and that another delivery has taken the event over. The message is to
	// go back to the queue.
	ErrClaimLost = errors.New("consume: the claim on the event was lost")

	// ErrPanic says that the handler has panicked over a message. The text of the error has the stack; of what the handler panicked with it
	// has only a fault of the runtime, because anything else may quote the event.
	ErrPanic = errors.New("consume: the handler panicked")

	// ErrBehindFailure says that a message was left alone because an earlier event of its aggregate in the same batch failed.
	ErrBehindFailure = errors.New("consume: an earlier event of the aggregate failed")
)

// EventError names the field of an event that is missing or malformed. It holds no value of the event.
type EventError struct {
	// Field is the name of the member as published; "body" stands for the message as a whole.
	Field string
	// Reason is what is wrong with it, in words.
	Reason string
}

// Error names the field and the reason.
func (e *EventError) Error() string {
	return fmt.Sprintf("consume: malformed event: %s %s", e.Field, e.Reason)
}

// Unwrap returns ErrMalformed.
func (e *EventError) Unwrap() error { return ErrMalformed }

// OrderError says where an event stands that cannot be applied now.
type OrderError struct {
	// Outcome is Gap or Conflict.
	Outcome Outcome
	// AggregateID and Seq are those of the event.
	AggregateID string
	Seq         int64
	// LastSeq is the number of the last event that the item has; 0 for none.
	LastSeq int64
}

// Error names the aggregate and both numbers.
func (e *OrderError) Error() string {
	return fmt.Sprintf("%v: event %d of %s, after event %d", e.Unwrap(), e.Seq, e.AggregateID, e.LastSeq)
}

// Unwrap returns ErrGap or ErrConflict.
func (e *OrderError) Unwrap() error {
	if e.Outcome == Gap {
		return ErrGap
	}
	return ErrConflict
}

func badField(field, reason string) error { return &EventError{Field: field, Reason: reason} }

func badConfig(format string, args ...any) error { return fmt.Errorf("consume: "+format, args...) }

func badChange(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalidChange, fmt.Sprintf(format, args...))
}
