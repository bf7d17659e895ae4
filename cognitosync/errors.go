package cognitosync

import (
	"errors"
	"fmt"

	"github.com/usercore-go/usercore/userstore"
)

// The errors of the package, for errors.Is. Those of userstore and of the SDK are wrapped, so they can be asked for as well.
var (
	// ErrBadEvent says that a trigger event, message or published event is not what its source sends. Trying again does not help.
	ErrBadEvent = errors.New("the event is malformed")
	// ErrPending says that the table has the change and the user pool does not follow yet. The handler of the change's event makes it
	// follow, so a caller may report success.
	ErrPending = errors.New("the change is stored, the user pool does not follow yet")
	// ErrAliasTaken says that another user of the pool has the address as a verified alias. A person has to decide whose it is.
	ErrAliasTaken = errors.New("another user of the pool has the address")
	// ErrToken says that a run cannot be resumed from the token: it is damaged, of another pool, or Cognito does not accept the page
	// in it any more. Start again with the empty token.
	ErrToken = errors.New("the run cannot be resumed from this token")
)

// errUnsettled says that an account kept changing while the pool was being brought in line with it.
var errUnsettled = errors.New("the account keeps changing")

// wrap adds the operation to an error, once.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cognitosync: %s: %w", operation, err)
}

// badConfig is the error of a configuration field.
func badConfig(format string, args ...any) error {
	return fmt.Errorf("cognitosync: "+format, args...)
}

// permanent is true of the refusals of userstore that stay the same however often the call is made.
func permanent(err error) bool {
	for _, refusal := range []error{
		userstore.ErrInvalid, userstore.ErrTaken, userstore.ErrExists, userstore.ErrNotFound, userstore.ErrStatus, userstore.ErrCorrupt, ErrBadEvent,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// reason names in a word why an account could not be made or repaired, for dead letters, reports and logs.
func reason(err error) string {
	switch {
	case errors.Is(err, userstore.ErrTaken):
		return "address_taken"
	case errors.Is(err, userstore.ErrInvalid), errors.Is(err, ErrBadEvent):
		return "invalid"
	case errors.Is(err, userstore.ErrCorrupt):
		return "corrupt"
	case errors.Is(err, userstore.ErrStatus), errors.Is(err, userstore.ErrNotFound):
		return "changed_meanwhile"
	}
	return "unavailable"
}
