package ratelimit_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/ratelimit"
)

func byUser(r *http.Request) (string, bool) {
	user := r.Header.Get("User")
	return ratelimit.Key("user", user), user != ""
}

var ok = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })

func serve(h http.Handler, ctx context.Context, user string) *http.Response {
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil)
	r.Header.Set("User", user)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestMiddleware(t *testing.T) {
	t.Parallel()
	c := newClock()
	l, err := ratelimit.NewFixedWindow(newStore(), ratelimit.FixedConfig{Table: anyTable(), Limit: 2, Window: time.Minute, Now: c.Now})
	require.NoError(t, err)
	h := ratelimit.Middleware(l, byUser, nil)(ok)
	reset := strconv.FormatInt(c.Now().Unix()+60, 10)

	for _, remaining := range []string{"1", "0"} {
		res := serve(h, t.Context(), "u1")
		require.Equal(t, http.StatusNoContent, res.StatusCode)
		require.Equal(t, http.Header{
			"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset},
		}, res.Header)
	}
	res := serve(h, t.Context(), "u1")
	require.Equal(t, http.StatusTooManyRequests, res.StatusCode)
	require.Equal(t, "60", res.Header.Get("Retry-After"))
	require.Equal(t, reset, res.Header.Get("X-RateLimit-Reset"), "by the limiter's clock")

	require.Equal(t, http.StatusNoContent, serve(h, t.Context(), "u2").StatusCode, "another key")
	res = serve(h, t.Context(), "")
	require.Equal(t, http.StatusNoContent, res.StatusCode, "no key, no limit")
	require.Empty(t, res.Header)
}

func TestMiddlewareOwnAnswer(t *testing.T) {
	t.Parallel()
	l, err := limiterOf3["token_bucket"](newStore())
	require.NoError(t, err)
	deny := func(w http.ResponseWriter, _ *http.Request, d ratelimit.Decision) {
		w.Header().Set("Wait", d.RetryAfter.String())
		w.WriteHeader(http.StatusTeapot)
	}
	h := ratelimit.Middleware(l, byUser, deny)(ok)
	for range 3 {
		require.Equal(t, http.StatusNoContent, serve(h, t.Context(), "u").StatusCode)
	}
	res := serve(h, t.Context(), "u")
	require.Equal(t, http.StatusTeapot, res.StatusCode)
	require.Equal(t, "20m0s", res.Header.Get("Wait"))
	require.Equal(t, "1200", res.Header.Get("Retry-After"))
}

func TestMiddlewareFailure(t *testing.T) {
	t.Parallel()
	for policy, status := range map[ratelimit.FailurePolicy]int{
		ratelimit.Closed: http.StatusServiceUnavailable,
		ratelimit.Open:   http.StatusNoContent,
	} {
		table := newStore()
		table.before = down
		l, err := burstOf50(time.Now, ratelimit.Tuning{}, policy)["token_bucket"](table)
		require.NoError(t, err)
		require.Equal(t, status, serve(ratelimit.Middleware(l, byUser, nil)(ok), t.Context(), "u").StatusCode)
	}
}

func TestMiddlewareContextEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err := burstOf50(time.Now, ratelimit.Tuning{}, ratelimit.Open)["token_bucket"](newStore())
	require.NoError(t, err)
	var cause error
	deny := func(_ http.ResponseWriter, _ *http.Request, d ratelimit.Decision) { cause = d.Cause }
	serve(ratelimit.Middleware(l, byUser, deny)(ok), ctx, "u")
	require.ErrorIs(t, cause, context.Canceled)
}
