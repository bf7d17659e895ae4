package userstore

import (
	"context"
	"sync"
	"time"
)

// CachedTokensValidAfter is TokensValidAfter read at most once in an interval, for use on every request. When DynamoDB does
// not answer, the time that was read last stays in force, and an interval passes before the next read; an error is returned
// only before the first answer. A read holds up the call that makes it: others have the last time meanwhile, or before the
// first answer read for themselves.
func (s *Store) CachedTokensValidAfter(interval time.Duration) func(context.Context) (time.Time, error) {
	c := &cutoffCache{store: s, interval: interval}
	return c.get
}

// cutoffCache keeps the time that was read last. Its lock is not held during a read.
type cutoffCache struct {
	store    *Store
	interval time.Duration

	mu      sync.Mutex
	cutoff  time.Time
	known   bool
	read    time.Time // when the last read began, or failed
	reading bool
}

func (c *cutoffCache) get(ctx context.Context) (time.Time, error) {
	now := c.store.kernel.Now()
	if cutoff, ok := c.enter(now); ok {
		return cutoff, nil
	}
	defer c.leave()
	cutoff, err := c.store.TokensValidAfter(ctx)
	if err != nil {
		return c.failed(ctx, err)
	}
	return c.keep(cutoff, now), nil
}

// enter has the time in force, or lets the caller read it.
func (c *cutoffCache) enter(now time.Time) (cutoff time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	age := now.Sub(c.read)
	if c.known && (c.reading || 0 <= age && age < c.interval) {
		return c.cutoff, true
	}
	c.reading = true
	return time.Time{}, false
}

func (c *cutoffCache) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reading = false
}

func (c *cutoffCache) keep(cutoff, began time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cutoff, c.known, c.read = later(c.cutoff, cutoff), true, began
	return c.cutoff
}

// failed gives what is known. When it was the caller who gave up, the next call reads at once: clients that hang up must not
// keep a revocation from being seen.
func (c *cutoffCache) failed(ctx context.Context, err error) (time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		return time.Time{}, err
	}
	if ctx.Err() == nil {
		c.read = c.store.kernel.Now()
	}
	return c.cutoff, nil
}
