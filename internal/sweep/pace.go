package sweep

import (
	"context"
	"sync"
	"time"
)

// Limits of a rate and what zero means, in items a second.
const (
	DefaultRate = 1_000
	HighestRate = 1_000_000
)

// Pace spaces work evenly: at most so many items a second, from any number of goroutines.
type Pace struct {
	interval time.Duration // for one item

	mu   sync.Mutex
	next time.Time
}

// NewPace returns a Pace of that many items a second, 1 to HighestRate.
func NewPace(itemsPerSecond int) *Pace {
	return &Pace{interval: time.Second / time.Duration(itemsPerSecond)}
}

// Wait returns when n more items may be worked on, or with the error of the context.
func (p *Pace) Wait(ctx context.Context, n int) error {
	wait := time.Until(p.reserve(time.Now(), n))
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reserve takes the next free time at or after now, and keeps what n items take behind it.
func (p *Pace) reserve(now time.Time, n int) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	start := now
	if p.next.After(now) {
		start = p.next
	}
	p.next = start.Add(time.Duration(n) * p.interval)
	return start
}
