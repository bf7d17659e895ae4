package outbox

// Policy says what becomes of an event that is rejected for good, or that has failed RelayConfig.MaxAttempts times.
type Policy int

const (
	// DeadLetter moves the event to the dead letters and goes on with the next one of its aggregate. Consumers see a gap in seq until
	// an operator redrives it. It is the zero value.
	DeadLetter Policy = iota
	// Hold keeps the event where it is, and behind it all later ones of its aggregate, until an operator redrives it. The order is
	// never broken; that aggregate falls silent.
	Hold
)

func (p Policy) valid() bool { return p == DeadLetter || p == Hold }
