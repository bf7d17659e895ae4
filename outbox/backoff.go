package outbox

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond

	// storeAfter is the failed attempt from which on failures are stored in the pack. Passing trouble costs no writes that way.
	storeAfter = 3
	// soloAfter is the failed attempt after which an event is sent in a call of its own, so that if it breaks calls it breaks no others'.
	soloAfter = 2
)

// backoff returns how long to wait after the given number of failures: doubling from 100 ms to the longest, of which a random half is
// taken off, so that those who failed together do not come back together.
func backoff(failures int, longest time.Duration) time.Duration {
	d := longest
	if doublings := max(failures, 1) - 1; doublings < 30 {
		d = min(firstBackoff<<doublings, longest)
	}
	return d - rand.N(d/2+1)
}

// pause waits for d, or returns the context's error when that ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
