package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

const (
	page      = "https://app.example.com"
	otherPage = "https://evil.example"
)

func corsFixture(t *testing.T, origins ...string) *fixture {
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.rebuild(func(cfg *httpapi.Config) { cfg.CORS = httpapi.CORS{AllowedOrigins: origins, MaxAge: time.Hour} })
	return f
}

func TestCORSIsOffByDefault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, a := range []reply{
		f.call("", "GET", "/v1/users/me", "", "Origin", page),
		f.call("", "OPTIONS", "/v1/users/me", "", "Origin", page, "Access-Control-Request-Method", "PUT"),
	} {
		require.Empty(t, a.header.Get("Access-Control-Allow-Origin"))
		require.Empty(t, a.header.Get("Access-Control-Allow-Methods"))
		require.Empty(t, a.header.Get("Vary"))
	}
}

func TestCORSAnswers(t *testing.T) {
	t.Parallel()
	f := corsFixture(t, "http://localhost:3000", page)
	for _, a := range []reply{
		f.call("john", "GET", "/v1/users/me", "", "Origin", page),
		f.call("", "GET", "/v1/users/me", "", "Origin", page),
		f.call("john", "GET", "/nowhere", "", "Origin", page),
		f.call("john", "PUT", "/v1/users/me", `[]`, "Origin", page),
	} {
		require.Equal(t, page, a.header.Get("Access-Control-Allow-Origin"))
		require.Equal(t, "ETag, Location, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id",
			a.header.Get("Access-Control-Expose-Headers"))
		require.Equal(t, "Origin", a.header.Get("Vary"))
		require.Empty(t, a.header.Get("Access-Control-Allow-Credentials"))
	}
	for _, origin := range []string{otherPage, "", "null", page + ".evil.example", "https://APP.example.com"} {
		a := f.call("john", "GET", "/v1/users/me", "", "Origin", origin)
		require.Equal(t, http.StatusOK, a.status)
		require.Empty(t, a.header.Get("Access-Control-Allow-Origin"), origin)
		require.Equal(t, "Origin", a.header.Get("Vary"))
	}
}

func TestPreflight(t *testing.T) {
	t.Parallel()
	f := corsFixture(t, page)
	a := f.call("", "OPTIONS", "/v1/users/me", "", "Origin", page, "Access-Control-Request-Method", "PUT",
		"Access-Control-Request-Headers", "if-match")
	require.Equal(t, http.StatusNoContent, a.status)
	require.Equal(t, page, a.header.Get("Access-Control-Allow-Origin"))
	require.Equal(t, a.header.Get("Allow"), a.header.Get("Access-Control-Allow-Methods"))
	require.Equal(t, "Authorization, Content-Type, If-Match, X-Request-Id", a.header.Get("Access-Control-Allow-Headers"))
	require.Equal(t, "3600", a.header.Get("Access-Control-Max-Age"))

	refused := f.call("", "OPTIONS", "/v1/users/me", "", "Origin", otherPage, "Access-Control-Request-Method", "PUT")
	require.Equal(t, http.StatusNoContent, refused.status)
	require.Empty(t, refused.header.Get("Access-Control-Allow-Methods"))
	plain := f.call("", "OPTIONS", "/v1/users/me", "", "Origin", page)
	require.Empty(t, plain.header.Get("Access-Control-Allow-Methods"))
}

func TestCORSForEveryPage(t *testing.T) {
	t.Parallel()
	f := corsFixture(t, "*")
	a := f.call("john", "GET", "/v1/users/me", "", "Origin", otherPage)
	require.Equal(t, "*", a.header.Get("Access-Control-Allow-Origin"))
	require.Empty(t, a.header.Get("Vary"))
}
