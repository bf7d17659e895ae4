package ratelimit

import (
	"net/http"
	"strconv"
	"time"
)

// SetHeaders sets X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset (seconds since 1970, rounded up) for a decision made at
// now, and on a denial Retry-After (seconds, rounded up, at least 1); on an admission it leaves Retry-After alone. A decision that is
// Degraded, or has no Limit like the zero value, sets no X-RateLimit header, because nothing is known of the count.
func (d Decision) SetHeaders(h http.Header, now time.Time) {
	if d.Limit > 0 && !d.Degraded {
		reset := ceilSeconds(nanos(now) + int64(d.ResetAfter))
		h.Set("X-RateLimit-Limit", strconv.Itoa(d.Limit))
		h.Set("X-RateLimit-Remaining", strconv.Itoa(max(0, d.Remaining)))
		h.Set("X-RateLimit-Reset", strconv.FormatInt(reset, 10))
	}
	if !d.Allowed {
		h.Set("Retry-After", strconv.FormatInt(max(1, ceilSeconds(int64(d.RetryAfter))), 10))
	}
}
