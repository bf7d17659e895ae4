package account

import (
	"errors"

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

// errAgain is the meaning of a failed condition after which an operation decides anew; no caller sees it.
var errAgain = errors.New("read again")
