package ratelimit

import (
	"cmp"
	"time"
)

// Tuning bounds a limiter's use of time and memory. Each zero field has its default.
type Tuning struct {
	// Timeout is how long DynamoDB may take for one decision, all retries included, before the failure policy decides; default 1 s. A
	// caller that lines up behind a write of the same key can wait for that one too.
	Timeout time.Duration
	// MaxWait is the longest that Wait blocks, whatever its context allows; default 30 s.
	MaxWait time.Duration
	// CacheSize is the number of keys whose last known state is kept, to deny without a request and to choose the right form of the next
	// write; default 10,000, at roughly 200 bytes each (a sliding window's also 8 for each unit of its limit). A key that was forgotten
	// costs at most one more request.
	CacheSize int
}

func (t Tuning) withDefaults() (Tuning, error) {
	switch {
	case t.Timeout < 0:
		return t, badConfig("Tuning.Timeout is %v", t.Timeout)
	case t.MaxWait < 0:
		return t, badConfig("Tuning.MaxWait is %v", t.MaxWait)
	case t.CacheSize < 0:
		return t, badConfig("Tuning.CacheSize is %d", t.CacheSize)
	}
	t.Timeout = cmp.Or(t.Timeout, time.Second)
	t.MaxWait = cmp.Or(t.MaxWait, 30*time.Second)
	t.CacheSize = cmp.Or(t.CacheSize, 10_000)
	return t, nil
}
