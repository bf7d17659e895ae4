package cognitosync

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
)

// pacer spaces the calls to one user pool and repeats those that fail in passing. It is safe for concurrent use.
type pacer struct {
	// interval is the least time between the starts of two calls; 0 does not space them.
	interval time.Duration
	// first and longest bound the pause before a repetition, which is drawn evenly from 0 to min(longest, first·2ⁿ) and added
	// to first, so that a throttled caller always gives way.
	first, longest time.Duration
	// attempts is how often a call is made at most.
	attempts int
	// passing tells errors that a repetition may cure.
	passing func(error) bool

	mu   sync.Mutex
	next time.Time
}

// directPacer is for calls that somebody waits for: no spacing, short pauses.
func directPacer() *pacer {
	return &pacer{first: 50 * time.Millisecond, longest: time.Second, attempts: 4, passing: passing()}
}

// untilTheEnd is for calls whose context bounds the time that they may take.
func untilTheEnd(passing func(error) bool) *pacer {
	return &pacer{first: 50 * time.Millisecond, longest: 500 * time.Millisecond, attempts: math.MaxInt, passing: passing}
}

// steadyPacer is for calls in bulk: evenly spaced, patient when it is throttled.
func steadyPacer(callsPerSecond float64) *pacer {
	return &pacer{
		interval: time.Duration(float64(time.Second) / callsPerSecond),
		first:    500 * time.Millisecond, longest: 30 * time.Second, attempts: 10, passing: passing(),
	}
}

// passing is the SDK's judgement of what may be repeated: throttling, server errors, broken connections.
func passing() func(error) bool {
	standard := retry.IsErrorRetryables(retry.DefaultRetryables)
	return func(err error) bool { return standard.IsErrorRetryable(err) == aws.TrueTernary }
}

// do makes a call when its time has come, and again while its error is a passing one. It returns the last error, with the context's when
// that has ended the waiting.
func (p *pacer) do(ctx context.Context, call func() error) error {
	var err error
	for try := 0; ; try++ {
		if ended := sleepUntil(ctx, p.reserve(time.Now())); ended != nil {
			return errors.Join(err, ended)
		}
		err = call()
		if err == nil || try+1 >= p.attempts || ctx.Err() != nil || !p.passing(err) {
			return err
		}
		p.holdBack(time.Now().Add(p.pause(try)))
	}
}

// reserve takes the next free start at or after now.
func (p *pacer) reserve(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	start := now
	if p.next.After(now) {
		start = p.next
	}
	p.next = start.Add(p.interval)
	return start
}

// holdBack lets no call start before a time: a throttled pool is throttled for all callers.
func (p *pacer) holdBack(until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next.Before(until) {
		p.next = until
	}
}

func (p *pacer) pause(try int) time.Duration {
	limit := p.longest
	if try < 16 && p.first<<try < limit {
		limit = p.first << try
	}
	return p.first + rand.N(limit)
}

// sleepUntil waits for a time, or for the end of the context, whose error it returns then.
func sleepUntil(ctx context.Context, t time.Time) error {
	wait := time.Until(t)
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
