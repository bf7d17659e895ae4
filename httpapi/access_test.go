package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

// operation is a request to one route.
type operation struct{ method, path, body string }

// operations are a request to each route that needs a token, to an address with an id.
func operations(id string) []operation {
	return []operation{
		{"GET", "/v1/users/me", ""},
		{"PUT", "/v1/users/me", `{"firstName":"A"}`},
		{"GET", "/v1/users/me/emails", ""},
		{"POST", "/v1/users/me/emails", `{"email":"new@example.com"}`},
		{"GET", emailPath(id), ""},
		{"DELETE", emailPath(id), ""},
		{"POST", emailPath(id) + "/verify", ""},
		{"POST", emailPath(id) + "/verify/confirm", `{"code":"123456"}`},
		{"PUT", emailPath(id) + "/primary", ""},
		{"DELETE", "/v1/users/me", ""},
	}
}

func TestEveryRouteNeedsAToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, o := range operations("x") {
		before := f.requests.count.Load()
		a := f.call("", o.method, o.path, o.body)
		require.Equal(t, http.StatusUnauthorized, a.status, o)
		require.Equal(t, "Bearer", a.header.Get("WWW-Authenticate"))
		require.Equal(t, before, f.requests.count.Load())
	}
}

func TestNoAccount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, mode := range []httpapi.StatusCheck{httpapi.Writes, httpapi.EveryRequest} {
		require.NoError(t, f.handler.SetStatusCheck(mode))
		for _, o := range operations("x") {
			a := f.call("nobody", o.method, o.path, o.body)
			require.Equal(t, http.StatusNotFound, a.status, o)
			require.Equal(t, "User not found", a.text("message"), o)
		}
	}
}

// TestStatuses: a suspended user may read and delete, a deleted one may do nothing but delete again, with a token of the time after.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, mode := range []httpapi.StatusCheck{httpapi.Writes, httpapi.EveryRequest} {
		for _, status := range []string{"suspended", "deleted"} {
			f := newFixture(t)
			f.user("john", "john@example.com")
			require.NoError(t, f.handler.SetStatusCheck(mode))
			if status == "suspended" {
				f.suspend("john")
			} else {
				require.Equal(t, http.StatusOK, f.call(f.issued("john"), "DELETE", "/v1/users/me", "").status)
			}
			f.clock.advance(time.Second)
			for _, o := range operations(f.primary("john")) {
				want := http.StatusForbidden
				if status == "suspended" && o.method == "GET" || o.method == "DELETE" && o.path == "/v1/users/me" {
					want = http.StatusOK
				}
				a := f.call(f.issued("john"), o.method, o.path, o.body)
				require.Equal(t, want, a.status, "%s in mode %d: %v: %s", status, mode, o, a.body)
				if want == http.StatusForbidden {
					require.Equal(t, "Account is not active", a.text("message"))
				}
			}
		}
	}
}

// TestAccountCutOff: with EveryRequest a token from before the suspension is refused, with Writes it is not.
func TestAccountCutOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	old := f.issued("john")
	f.clock.advance(time.Minute + 400*time.Millisecond)
	f.suspend("john")
	_, err := f.store.Reinstate(t.Context(), "john")
	require.NoError(t, err)
	sameSecond := f.issued("john")
	f.clock.advance(time.Second)

	require.Equal(t, http.StatusOK, f.call(old, "GET", "/v1/users/me", "").status)
	require.NoError(t, f.handler.SetStatusCheck(httpapi.EveryRequest))
	require.Equal(t, httpapi.EveryRequest, f.handler.StatusCheck())
	for _, o := range operations(f.primary("john")) {
		for _, token := range []string{old, sameSecond, "john"} { // the last does not say when it was issued
			a := f.call(token, o.method, o.path, o.body)
			require.Equal(t, http.StatusUnauthorized, a.status, "%v: %s", o, a.body)
			require.Equal(t, `Bearer error="invalid_token"`, a.header.Get("WWW-Authenticate"))
		}
	}
	require.Equal(t, http.StatusOK, f.call(f.issued("john"), "GET", "/v1/users/me", "").status)
	require.NoError(t, f.handler.SetStatusCheck(httpapi.Writes))
	require.Equal(t, http.StatusOK, f.call(old, "GET", "/v1/users/me", "").status)
}

// TestDeleteIsRepeatedByItsOwnToken: the deletion itself is a cut-off, but a lost answer can be asked for again.
func TestDeleteIsRepeatedByItsOwnToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	require.NoError(t, f.handler.SetStatusCheck(httpapi.EveryRequest))
	token := f.issued("john")
	f.clock.advance(time.Minute)
	first := f.call(token, "DELETE", "/v1/users/me", "")
	f.clock.advance(time.Minute)
	again := f.call(token, "DELETE", "/v1/users/me", "")
	require.Equal(t, http.StatusOK, again.status)
	require.Equal(t, first.text("deletedAt"), again.text("deletedAt"))
	require.Equal(t, http.StatusForbidden, f.call(token, "GET", "/v1/users/me", "").status)
}

func TestFleetCutOff(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	var (
		cutOff time.Time
		err    error
	)
	f.rebuild(func(cfg *httpapi.Config) {
		cfg.TokensValidAfter = func(context.Context) (time.Time, error) { return cutOff, err }
	})
	status := func(token string) int { return f.call(token, "GET", "/v1/users/me", "").status }
	old := f.issued("john")
	f.clock.advance(time.Minute)
	cutOff = f.clock.Now()

	require.Equal(t, http.StatusOK, status(old), "not with Writes")
	require.NoError(t, f.handler.SetStatusCheck(httpapi.EveryRequest))
	before := f.requests.count.Load()
	require.Equal(t, http.StatusUnauthorized, status(old))
	require.Equal(t, before, f.requests.count.Load())
	require.Equal(t, http.StatusOK, status(f.issued("john")))
	cutOff = time.Time{}
	require.Equal(t, http.StatusOK, status(old))

	err = errors.New("the setting cannot be read")
	a := f.call(old, "GET", "/v1/users/me", "")
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"))
}

func TestUnknownStatusCheck(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	require.Error(t, f.handler.SetStatusCheck(2))
	require.Equal(t, httpapi.Writes, f.handler.StatusCheck())
}

// broken authenticators.
type authenticator func(*http.Request) (httpapi.Identity, error)

func (a authenticator) Authenticate(r *http.Request) (httpapi.Identity, error) { return a(r) }

func TestAuthenticatorErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, c := range map[string]struct {
		err        error
		status     int
		retryAfter string
	}{
		"unauthenticated":        {httpapi.ErrUnauthenticated, http.StatusUnauthorized, ""},
		"unavailable":            {&httpapi.UnavailableError{RetryAfter: 2500 * time.Millisecond, Err: errMail}, http.StatusServiceUnavailable, "3"},
		"unavailable_at_once":    {&httpapi.UnavailableError{Err: errMail}, http.StatusServiceUnavailable, "1"},
		"unavailable_wins":       {&httpapi.UnavailableError{Err: httpapi.ErrUnauthenticated}, http.StatusServiceUnavailable, "1"},
		"fault":                  {errMail, http.StatusInternalServerError, ""},
		"fault_with_other_cause": {errNotFoundElsewhere, http.StatusInternalServerError, ""},
	} {
		handler, err := httpapi.New(f.users, f.addresses, authenticator(func(*http.Request) (httpapi.Identity, error) {
			return httpapi.Identity{}, c.err
		}), f.cfg)
		require.NoError(t, err)
		f.handler = handler
		a := f.call("john", "GET", "/v1/users/me", "")
		require.Equal(t, c.status, a.status, name)
		require.Equal(t, c.retryAfter, a.header.Get("Retry-After"), name)
		require.NotContains(t, string(a.body), "secret", name)
	}
}
