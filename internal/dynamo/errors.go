package dynamo

import "errors"

var (
	// ErrStale says that a condition failed without an error of its own: what was read has changed. Decide again.
	ErrStale = errors.New("the items have changed since they were read")
	// ErrContention says that other writers kept a change from being committed until its deadline. Nothing was written.
	ErrContention = errors.New("other writers or throttling kept the change from being committed")
	// ErrCorrupt says that the table holds what no operation of this module writes. Nothing was written.
	ErrCorrupt = errors.New("the table holds items that contradict each other")
	// ErrOutcomeUnknown says that no answer came, or none to a try that the SDK repeated until the deadline without a decision:
	// the change is committed, or it is not. Repeating the call is safe.
	ErrOutcomeUnknown = errors.New("no answer came, so the change may or may not be committed")
	// ErrUnavailable says that a read was throttled or not answered.
	ErrUnavailable = errors.New("DynamoDB does not answer for now")
	// ErrTooManyActions says that a transaction would have more than MaxActions actions. Nothing was sent.
	ErrTooManyActions = errors.New("a transaction takes at most 100 actions")
)

// MaxActions is how many actions one TransactWriteItems takes (AWS API reference, TransactWriteItems).
const MaxActions = 100
