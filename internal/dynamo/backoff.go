package dynamo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/usercore-go/usercore/internal/telemetry"
)

const (
	firstPause = 8 * time.Millisecond
	maxPause   = 400 * time.Millisecond
	// patience bounds a change whose context has no deadline.
	patience = 10 * time.Second
)

// Backoff spaces the tries of one change with full jitter: the pause before try n is drawn evenly from
// 0 to min(400 ms, 8 ms · 2ⁿ). It ends at the context's deadline, or after 10 s without one. The zero Backoff is ready.
type Backoff struct {
	tries int
	until time.Time
}

// Pause waits for the next try. It returns an error that wraps ErrContention and cause when the deadline leaves no
// time for one, or when the context ends.
func (b *Backoff) Pause(ctx context.Context, cause error) error {
	now := time.Now()
	if b.until.IsZero() {
		b.until = now.Add(patience)
		if deadline, ok := ctx.Deadline(); ok {
			b.until = deadline
		}
	}
	limit := maxPause
	if b.tries < 6 {
		limit = firstPause << b.tries
	}
	b.tries++
	pause := rand.N(limit)
	if now.Add(pause).After(b.until) {
		return fmt.Errorf("%w after %d tries: %w", ErrContention, b.tries, cause)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		telemetry.From(ctx).Retry()
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%w after %d tries: %w", ErrContention, b.tries, ctx.Err())
	}
}
