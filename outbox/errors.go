package outbox

import (
	"errors"
	"fmt"
)

// ErrInvalidEvent says that an event would not survive its publication. It is found before the commit; the error that wraps it is an
// *EventError.
var ErrInvalidEvent = errors.New("outbox: invalid event")

// EventError names the field of an event that is wrong. It holds no value of the event.
type EventError struct {
	// Index is the position of the event among those handed in, from 0.
	Index int
	// Field is the name of the field in Event; "Pack" stands for all events together.
	Field string
	// Reason is what is wrong with it, in words.
	Reason string
}

// Error names the event, the field and the reason.
func (e *EventError) Error() string {
	return fmt.Sprintf("outbox: invalid event %d: %s %s", e.Index, e.Field, e.Reason)
}

// Unwrap returns ErrInvalidEvent.
func (e *EventError) Unwrap() error { return ErrInvalidEvent }

// badField returns the error of a field; the caller who knows the position of the event sets Index.
func badField(field, format string, args ...any) *EventError {
	return &EventError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// badConfig returns the error of a configuration field.
func badConfig(format string, args ...any) error {
	return fmt.Errorf("outbox: "+format, args...)
}
