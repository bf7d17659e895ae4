package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/usercore-go/usercore/ratelimit"
)

// limitedError says that the general limit refuses a request.
type limitedError struct{ decision ratelimit.Decision }

func (e *limitedError) Error() string {
	return fmt.Sprintf("%v: retry after %v", errLimited, e.decision.RetryAfter)
}

func (e *limitedError) Unwrap() error { return errLimited }

// errLimiter says that the general limiter could not decide, and lets nothing through then.
var errLimiter = errors.New("the general limiter did not decide")

// limit charges the request to the user's general limit. Its headers stay in the answer unless the route has a limit of its own.
func (h *Handler) limit(ctx context.Context, c *call) error {
	if h.cfg.Limiter == nil {
		return nil
	}
	decision, err := h.cfg.Limiter.Allow(ctx, ratelimit.Key("api", c.identity.UserID))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %v", errLimiter, err)
	case decision.Allowed && decision.Degraded:
		return nil // nothing is known of the count
	case decision.Allowed:
		setQuota(c.header, decision, h.cfg.Now())
		return nil
	case decision.Degraded:
		return fmt.Errorf("%w: %v", errLimiter, decision.Cause)
	}
	return &limitedError{decision: decision}
}

// sendQuota is the headers that tell how many codes may still be sent to an address. It costs one request. The rest of the answer does not
// depend on it: without a count there are no headers.
func (h *Handler) sendQuota(ctx context.Context, c *call, address string) http.Header {
	header := http.Header{}
	decision, err := h.addresses.SendQuota(ctx, address)
	if err != nil {
		h.warn(ctx, c, "the count of codes sent could not be read", err)
		return header
	}
	setQuota(header, decision, h.cfg.Now())
	return header
}

// setQuota sets the X-RateLimit headers, and only these: whether and when to retry is said by the answer as a whole.
func setQuota(header http.Header, d ratelimit.Decision, now time.Time) {
	d.Allowed = true
	d.SetHeaders(header, now)
}

// wholeSeconds is a wait in seconds, rounded up, at least 1.
func wholeSeconds(wait time.Duration) int64 {
	return max(1, int64((wait+time.Second-1)/time.Second))
}

// inMinutes is a wait as it stands in a text: "45 minutes", rounded up.
func inMinutes(seconds int64) string {
	if minutes := (seconds + 59) / 60; minutes > 1 {
		return fmt.Sprintf("%d minutes", minutes)
	}
	return "1 minute"
}
