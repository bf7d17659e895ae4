package ratelimit_test

import (
	"slices"
	"time"

	"github.com/usercore-go/usercore/ratelimit"
)

// reference is a limiter as a textbook has it: one process, in memory, all history kept. The caller is one of several processes; only the
// fixed window tells them apart. Times are nanoseconds.
type reference interface {
	// view returns what is left of key at now, and when that many units would be admitted.
	view(caller int, key string, now int64) view
	// take admits n units.
	take(caller int, key string, n int, now int64)
	// reset makes key unused, as far as it concerns now.
	reset(caller int, key string, now int64)
}

type view struct {
	limit, remaining int
	retryAfter       func(n int) time.Duration
	resetAfter       time.Duration
}

func (v view) denial(n int) ratelimit.Decision {
	return ratelimit.Decision{Limit: v.limit, Remaining: v.remaining, RetryAfter: v.retryAfter(n), ResetAfter: v.resetAfter}
}

func (v view) admission() ratelimit.Decision {
	return ratelimit.Decision{Allowed: true, Limit: v.limit, Remaining: v.remaining, ResetAfter: v.resetAfter}
}

// referenceBucket is a token bucket as a level that rises: it keeps the credit that the last admission left, in nanoseconds of refill.
type referenceBucket struct {
	burst    int
	interval int64
	left     map[string]credit
}

type credit struct{ amount, at int64 }

func (b referenceBucket) level(key string, now int64) int64 {
	full := int64(b.burst) * b.interval
	if c, used := b.left[key]; used {
		return min(full, c.amount+now-c.at)
	}
	return full
}

func (b referenceBucket) view(_ int, key string, now int64) view {
	level := b.level(key, now)
	return view{
		limit:      b.burst,
		remaining:  int(max(0, level/b.interval)),
		retryAfter: func(n int) time.Duration { return time.Duration(max(0, int64(n)*b.interval-level)) },
		resetAfter: time.Duration(int64(b.burst)*b.interval - level),
	}
}

func (b referenceBucket) take(_ int, key string, n int, now int64) {
	b.left[key] = credit{b.level(key, now) - int64(n)*b.interval, now}
}

func (b referenceBucket) reset(_ int, key string, _ int64) { delete(b.left, key) }

// referenceLog is a sliding window as the list of all admissions, oldest first. Time in it does not fall.
type referenceLog struct {
	max     int
	window  int64
	history map[string][]int64
}

func (l referenceLog) view(_ int, key string, now int64) view {
	var inside []int64
	for _, t := range l.history[key] {
		if t > now-l.window {
			inside = append(inside, t)
		}
	}
	v := view{limit: l.max, remaining: l.max - len(inside)}
	v.retryAfter = func(n int) time.Duration {
		if tooMany := len(inside) + n - l.max; tooMany > 0 {
			return time.Duration(inside[tooMany-1] + l.window - now)
		}
		return 0
	}
	v.resetAfter = v.retryAfter(l.max)
	return v
}

func (l referenceLog) take(_ int, key string, n int, now int64) {
	h := l.history[key]
	if len(h) > 0 {
		now = max(now, h[len(h)-1])
	}
	h = append(h, slices.Repeat([]int64{now}, n)...)
	l.history[key] = h[max(0, len(h)-l.max):]
}

func (l referenceLog) reset(_ int, key string, _ int64) { delete(l.history, key) }

// referenceWindows is a counter per window. A caller does not go back to a window before one that it has seen.
type referenceWindows struct {
	max    int
	window int64
	counts map[windowOf]int
	seen   map[callerOf]int64
}

type windowOf struct {
	key   string
	start int64
}

type callerOf struct {
	key    string
	caller int
}

func (w referenceWindows) start(caller int, key string, now int64) int64 {
	return max(now-now%w.window, w.seen[callerOf{key, caller}])
}

func (w referenceWindows) view(caller int, key string, now int64) view {
	start := w.start(caller, key, now)
	count := w.counts[windowOf{key, start}]
	left := time.Duration(start + w.window - now)
	v := view{limit: w.max, remaining: w.max - count, retryAfter: func(n int) time.Duration {
		if count+n > w.max {
			return left
		}
		return 0
	}}
	if count > 0 {
		v.resetAfter = left
	}
	return v
}

// see says that caller has learned of the window of now.
func (w referenceWindows) see(caller int, key string, now int64) {
	w.seen[callerOf{key, caller}] = w.start(caller, key, now)
}

func (w referenceWindows) take(caller int, key string, n int, now int64) {
	w.counts[windowOf{key, w.start(caller, key, now)}] += n
}

func (w referenceWindows) reset(caller int, key string, now int64) {
	delete(w.counts, windowOf{key, w.start(caller, key, now)})
	delete(w.seen, callerOf{key, caller})
}
