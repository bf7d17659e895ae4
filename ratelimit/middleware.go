package ratelimit

import (
	"net/http"
	"time"
)

// DenyFunc answers a request that was denied. The headers of the decision are set already. d.Degraded tells a limit that is reached from a
// DynamoDB that does not answer.
type DenyFunc func(w http.ResponseWriter, r *http.Request, d Decision)

// Middleware limits the requests to an http.Handler, one unit each. The key function gives the key of a request, or false for one that is
// not limited; put into it only what the client cannot choose freely, such as an authenticated user, or every request is its own key.
// Decisions set their headers (see [Decision.SetHeaders]) on admissions and denials. A denied request goes to deny; nil answers 429, or 503
// if the decision is Degraded, in plain text. A request whose context ends while it waits for its decision is denied with the context's
// error as Cause. The clock is the limiter's, if l has a method Now like those of this package, else time.Now.
func Middleware(l Limiter, key func(*http.Request) (string, bool), deny DenyFunc) func(http.Handler) http.Handler {
	if deny == nil {
		deny = denyPlain
	}
	now := clockOf(l)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			k, limited := key(r)
			if !limited {
				next.ServeHTTP(w, r)
				return
			}
			d, err := l.Allow(r.Context(), k)
			if err != nil {
				d = Closed.decide(0, err)
			}
			d.SetHeaders(w.Header(), now())
			if !d.Allowed {
				deny(w, r, d)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func denyPlain(w http.ResponseWriter, _ *http.Request, d Decision) {
	status := http.StatusTooManyRequests
	if d.Degraded {
		status = http.StatusServiceUnavailable
	}
	http.Error(w, http.StatusText(status), status)
}

func clockOf(l Limiter) func() time.Time {
	if clock, ok := l.(interface{ Now() time.Time }); ok {
		return clock.Now
	}
	return time.Now
}
