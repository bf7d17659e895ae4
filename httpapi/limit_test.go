package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/ratelimit"
)

// limiter is a general limiter that gives one decision and notes the keys.
type limiter struct {
	decision ratelimit.Decision
	err      error
	keys     []string
}

func (l *limiter) Allow(_ context.Context, key string) (ratelimit.Decision, error) {
	l.keys = append(l.keys, key)
	return l.decision, l.err
}

func TestGeneralLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limiter    limiter
		status     int
		limit      string
		retryAfter string
		message    string
	}{
		"allowed": {
			limiter{decision: ratelimit.Decision{Allowed: true, Limit: 100, Remaining: 99, ResetAfter: time.Second}},
			http.StatusOK, "100", "", "",
		},
		"denied": {
			limiter{decision: ratelimit.Decision{Limit: 100, RetryAfter: 61100 * time.Millisecond, ResetAfter: time.Hour}},
			http.StatusTooManyRequests, "100", "62", "Too many requests. Try again in 2 minutes.",
		},
		"denied_for_a_moment": {
			limiter{decision: ratelimit.Decision{Limit: 100, RetryAfter: time.Millisecond, ResetAfter: time.Second}},
			http.StatusTooManyRequests, "100", "1", "Too many requests. Try again in 1 minute.",
		},
		"open":    {limiter{decision: ratelimit.Decision{Allowed: true, Degraded: true, Limit: 100}}, http.StatusOK, "", "", ""},
		"closed":  {limiter{decision: ratelimit.Decision{Degraded: true, Limit: 100, Cause: errMail}}, http.StatusServiceUnavailable, "", "1", ""},
		"no_time": {limiter{err: context.DeadlineExceeded}, http.StatusServiceUnavailable, "", "1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			f.rebuild(func(cfg *httpapi.Config) { cfg.Limiter = &c.limiter })
			a := f.call("john", "GET", "/v1/users/me", "")
			require.Equal(t, c.status, a.status)
			require.Equal(t, c.limit, a.header.Get("X-RateLimit-Limit"))
			require.Equal(t, c.retryAfter, a.header.Get("Retry-After"))
			if c.message != "" {
				require.Equal(t, c.message, a.text("message"))
			}
			require.Equal(t, []string{ratelimit.Key("api", "john")}, c.limiter.keys)
		})
	}
}

// TestGeneralLimitCountsEveryRequestWithAToken: those that fail too, but none without a token.
func TestGeneralLimitCountsEveryRequestWithAToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	general := &limiter{decision: ratelimit.Decision{Allowed: true, Limit: 100, Remaining: 99}}
	f.rebuild(func(cfg *httpapi.Config) { cfg.Limiter = general })
	for _, path := range []string{"/nowhere", "/openapi.json"} {
		f.call("john", "GET", path, "")
	}
	f.call("john", "PATCH", "/v1/users/me", "")
	f.call("john", "OPTIONS", "/v1/users/me", "")
	f.call("", "GET", "/v1/users/me", "")
	require.Empty(t, general.keys)

	notFound := f.call("john", "GET", emailPath("%00"), "")
	require.Equal(t, "100", notFound.header.Get("X-RateLimit-Limit"))
	f.call("john", "PUT", "/v1/users/me", `[]`)
	require.Len(t, general.keys, 2)

	added := f.call("john", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`)
	require.Equal(t, "3", added.header.Get("X-RateLimit-Limit"), "the route's own limit is the closer one")
}

// TestVerificationHeaders walks down the limits of one address.
func TestVerificationHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	a := f.call("john", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`)
	id := a.text("emailId")
	require.Equal(t, "2", a.header.Get("X-RateLimit-Remaining"))
	for _, remaining := range []string{"1", "0"} {
		a = f.call("john", "POST", emailPath(id)+"/verify", "")
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, remaining, a.header.Get("X-RateLimit-Remaining"))
		require.Empty(t, a.header.Get("Retry-After"), "a success does not say to wait")
	}
	require.Equal(t, http.StatusTooManyRequests, f.call("john", "POST", emailPath(id)+"/verify", "").status)
	for _, remaining := range []string{"4", "3", "2", "1", "0"} {
		a = f.confirm(id, f.mail.wrong("a@example.com"))
		require.Equal(t, http.StatusBadRequest, a.status)
		require.Equal(t, remaining, a.header.Get("X-RateLimit-Remaining"))
	}
	a = f.confirm(id, f.mail.code("a@example.com"))
	require.Equal(t, http.StatusTooManyRequests, a.status)
	require.Equal(t, "0", a.header.Get("X-RateLimit-Remaining"))
}

// TestRetryAfterIsEnough: waiting exactly as long as a 429 says is enough.
func TestRetryAfterIsEnough(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	id := f.add("john", "a@example.com")
	verify := func() reply { return f.call("john", "POST", emailPath(id)+"/verify", "") }
	f.clock.advance(300 * time.Millisecond)
	verify()
	verify()
	denied := verify()
	require.Equal(t, http.StatusTooManyRequests, denied.status)
	seconds, ok := denied.value("retryAfter").(float64)
	require.True(t, ok)
	f.clock.advance(time.Duration(seconds) * time.Second)
	require.Equal(t, http.StatusOK, verify().status)
}
