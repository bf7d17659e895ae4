package ratelimit

import (
	"context"
	"fmt"
	"time"
)

// Wait blocks until one unit of key is admitted. It returns [ErrLimited], at once if possible, when that takes longer than Tuning.MaxWait
// or the deadline of ctx; an error that wraps ctx.Err() when ctx ends first; and one that wraps [Decision].Cause when DynamoDB fails and
// the failure policy denies. Callers that wait are not served in order. Costs what Allow costs, each time that a unit becomes free and
// others take it first.
func (c *core[S]) Wait(ctx context.Context, key string) error {
	bounded, cancel := context.WithTimeout(ctx, c.tuning.MaxWait)
	defer cancel()
	for {
		d, err := c.Allow(bounded, key)
		switch {
		case ctx.Err() != nil && !d.Allowed:
			return ended(ctx.Err())
		case err != nil:
			return ErrLimited // MaxWait is over
		case d.Allowed:
			return nil
		case d.Degraded:
			return fmt.Errorf("ratelimit: wait: %w", d.Cause)
		}
		if deadline, _ := bounded.Deadline(); time.Until(deadline) < d.RetryAfter {
			return ErrLimited
		}
		pause(bounded, d.RetryAfter)
	}
}

// pause blocks for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
