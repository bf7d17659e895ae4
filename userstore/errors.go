package userstore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/account"
)

// The errors of the package, for errors.Is. Nothing was written when one is returned, but for
// ErrOutcomeUnknown. A change that was never sent, since the context had ended or there are no credentials, gives the error
// of the context or of the SDK.
var (
	// ErrNotFound says that there is no such account, or none that the address belongs to.
	ErrNotFound = account.ErrNotFound
	// ErrNotActive says that the account is suspended or deleted.
	ErrNotActive = account.ErrNotActive
	// ErrTaken says that the address belongs to an account, or that its holder may still verify it.
	ErrTaken = account.ErrTaken
	// ErrExists says that the account exists and does not have the address, or is deleted.
	ErrExists = account.ErrExists
	// ErrVersionConflict says that the account has another version than the caller expected.
	ErrVersionConflict = errors.New("the user was modified since it was read")
	// ErrStatus says that the account's status does not allow the change: see each method.
	ErrStatus = errors.New("the status of the account does not allow the change")
	// ErrInvalid says that input was refused; the error is a *ValidationError or says which argument it was.
	ErrInvalid = account.ErrInvalid
	// ErrContention says that other writers or throttling kept the change from being committed until the context's
	// deadline (10 s without one). Try again later.
	ErrContention = account.ErrContention
	// ErrUnavailable says that DynamoDB throttled or did not answer a read. Try again later.
	ErrUnavailable = account.ErrUnavailable
	// ErrTooManyActions says that a change would take more than 100 actions with the caller's own. Nothing was sent.
	ErrTooManyActions = account.ErrTooManyActions
	// ErrCorrupt says that the table holds items that contradict each other; run userstore/audit.
	ErrCorrupt = account.ErrCorrupt
	// ErrOutcomeUnknown says that no answer came from DynamoDB, so the change may or may not be committed; also when the SDK
	// repeated such a request by itself and met only conflicts or throttling until the deadline. Every
	// method may be called again: a change that was committed is then found to be so, or refused by its version.
	ErrOutcomeUnknown = account.ErrUnknown
)

// FieldError is one field of the input that was refused.
type FieldError struct {
	// Field is the field's name as in the JSON of an API: "firstName", "userId".
	Field string
	// Message says what the field must be, for the client to read. It never repeats the value.
	Message string
}

// ValidationError lists every field of the input that was refused. errors.Is(err, ErrInvalid) is true of it.
type ValidationError struct{ Fields []FieldError }

func (e *ValidationError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Field + ": " + f.Message
	}
	return ErrInvalid.Error() + ": " + strings.Join(parts, "; ")
}

// Unwrap returns ErrInvalid.
func (e *ValidationError) Unwrap() error { return ErrInvalid }

// Add notes a refused field.
func (e *ValidationError) Add(field, message string) {
	e.Fields = append(e.Fields, FieldError{Field: field, Message: message})
}

// Err returns e, or nil when no field was refused.
func (e *ValidationError) Err() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}

// ItemError says that the condition of one of the caller's own items, given by With, failed; nothing was written. It
// is judged last: every error of the account itself comes before it.
type ItemError struct {
	// Index is the item's place among all that With was given.
	Index int
	// Old is the item as it stands, nil when there is none.
	Old map[string]types.AttributeValue
}

func (e *ItemError) Error() string {
	return fmt.Sprintf("the condition of item %d given by With failed", e.Index)
}

// wrap adds the operation to an error, once.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("userstore: %s: %w", operation, err)
}
