package ratelimit

import "time"

// FailurePolicy decides in DynamoDB's place when a request fails or takes longer than Tuning.Timeout, whatever the cause: an outage,
// throttling that outlasts the client's retries, a table that does not exist. The decision has Degraded set, and Cause tells why; log it.
type FailurePolicy int

const (
	// Closed denies, with a RetryAfter of one second: the limit holds, and what it protects is not available while DynamoDB is not. For
	// limits that guard secrets or cost money.
	Closed FailurePolicy = iota
	// Open allows: what the limit protects stays available, and there is no limit while DynamoDB is not. For limits that share out capacity.
	Open
)

// degradedRetry is the RetryAfter of a denial that DynamoDB did not make; how long it will fail is unknown.
const degradedRetry = time.Second

// decide returns the policy's decision after a failure with that cause.
func (p FailurePolicy) decide(limit int, cause error) Decision {
	d := Decision{Limit: limit, Degraded: true, Cause: cause}
	if p == Open {
		d.Allowed = true
	} else {
		d.RetryAfter = degradedRetry
	}
	return d
}
