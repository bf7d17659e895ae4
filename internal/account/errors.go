package account

import (
	"errors"
	"fmt"
	"strings"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// The errors that userstore and emails share; they export these values under their own names.
var (
	ErrNotFound       = errors.New("no such user")
	ErrNotActive      = errors.New("the account is not active")
	ErrTaken          = errors.New("the address is not available")
	ErrExists         = errors.New("the user exists already")
	ErrContention     = dynamo.ErrContention
	ErrCorrupt        = dynamo.ErrCorrupt
	ErrUnknown        = dynamo.ErrOutcomeUnknown
	ErrTooManyActions = dynamo.ErrTooManyActions
	ErrUnavailable    = dynamo.ErrUnavailable
	ErrInvalid        = errors.New("invalid input")
)

// FieldError is one field that was refused.
type FieldError struct {
	Field   string
	Message string
}

// ValidationError lists every field that was refused.
type ValidationError struct{ Fields []FieldError }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Field + ": " + f.Message
	}
	return ErrInvalid.Error() + ": " + strings.Join(parts, "; ")
}

// Unwrap makes errors.Is(err, ErrInvalid) true.
func (e *ValidationError) Unwrap() error { return ErrInvalid }

// Add notes a refused field.
func (e *ValidationError) Add(field, message string) {
	e.Fields = append(e.Fields, FieldError{Field: field, Message: message})
}

// Err is e, or nil when no field was refused.
func (e *ValidationError) Err() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// ItemError says that the condition of one of the caller's own items failed.
type ItemError struct {
	Index int
	Old   dynamo.Item
}

func (e *ItemError) Error() string {
	return fmt.Sprintf("the condition of item %d given by With failed", e.Index)
}

// errAgain is the meaning of a failed condition after which an operation decides anew; no caller sees it.
var errAgain = errors.New("read again")
