package ratelimit

import "time"

// Decision is the answer to one request. The zero value denies and knows nothing else.
type Decision struct {
	// Allowed says whether the request may go on. For [Limiter.Peek]: whether a request of one unit would be admitted now.
	Allowed bool
	// Limit is the most units that can be admitted at once: the bucket's burst, or the window's limit.
	Limit int
	// Remaining is how many units are left after this decision, between 0 and Limit. It can be above 0 on a denial, when the request asked
	// for more than is left. A decision that was shared with others (see the package page) counts the units of all of them.
	Remaining int
	// RetryAfter is how long to wait until the same request is admitted, provided that nobody else takes the units first. It is 0 when
	// Allowed, and on a denial always above 0. Waiting exactly this long is enough.
	RetryAfter time.Duration
	// ResetAfter is how long it takes until Remaining is Limit again if nothing more is admitted. It is 0 for a key that is not in use.
	ResetAfter time.Duration
	// Degraded says that DynamoDB did not answer and the failure policy decided. Remaining is then 0, and RetryAfter a guess of one second
	// on a denial.
	Degraded bool
	// Cause is why the decision is Degraded, and nil otherwise. It is meant for the log: its text can hold names of tables, never a key.
	Cause error
}
