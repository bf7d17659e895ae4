package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

func TestPathsAreMatchedAsSent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	for _, path := range []string{
		"/", "/v1", "/v1/", "/v1/users", "/v1/users/me/", "/v1//users/me", "//v1/users/me", "/v1/users/./me", "/v1/users/x/../me",
		"/v1/users/m%65", "/v1/users%2Fme", "/V1/users/me", "/v1/users/me;x", "/v2/users/me", "/users/me", "/v1/users/me/emails/",
		"/v1/users/me/emails//verify", "/v1/users/me/emails/x/verify/", "/v1/users/me/emails/x/verify/confirm/more",
		"/v1/users/me/emails/..", "/v1/users/me/emails/.", "/v1/openapi.json", "/openapi.json/", "/openapi%2Ejson",
	} {
		for _, method := range []string{"GET", "PUT", "PATCH", "OPTIONS", "HEAD"} {
			a := f.call("john", method, path, "")
			require.Equal(t, http.StatusNotFound, a.status, "%s %s", method, path)
			require.Empty(t, a.header.Get("Location"))
		}
	}
	require.Equal(t, http.StatusOK, f.call("john", "GET", "/v1/users/me?x=%00&y", "").status, "a query is ignored")
}

func TestUnusualTargets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, target := range []*url.URL{{Path: "*"}, {Opaque: "mailto:x"}, {Host: "example.com:443"}, {}} {
		r := newRequest("john", "GET", "/", "")
		r.URL = target
		require.Equal(t, http.StatusNotFound, f.send(r).status, target)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.user("jane", "jane@example.com")
	other := f.primary("jane")
	unknown := f.call("john", "GET", emailPath("2f9d9a5e-0c6e-4d0c-9d0c-0c6e4d0c9d0c"), "")
	for _, id := range []string{
		"%00", "a%00b", "%2F", "a%2Fb", "%2e%2e", "...", "a.b", "%5C", "%0d%0aX:y", "EMAIL%23x", "a%20b", "a+b", "%C3%A9", "%FF", "*",
		string(make65()), other,
	} {
		before := f.requests.count.Load()
		a := f.call("john", "GET", "/v1/users/me/emails/"+id, "")
		require.Equal(t, http.StatusNotFound, a.status, id)
		require.Equal(t, string(unknown.body), string(a.body), id)
		require.Equal(t, unknown.header, a.header, id)
		if id != other {
			require.Equal(t, before, f.requests.count.Load(), "%s must not reach the table", id)
		}
		require.Equal(t, http.StatusMethodNotAllowed, f.call("john", "PATCH", "/v1/users/me/emails/"+id, "").status, id)
		require.Equal(t, http.StatusUnauthorized, f.call("", "GET", "/v1/users/me/emails/"+id, "").status, id)
		for method, rest := range map[string]string{"DELETE": "", "PUT": "/primary", "POST": "/verify"} {
			require.Equal(t, http.StatusNotFound, f.call("john", method, "/v1/users/me/emails/"+id+rest, "").status, id)
		}
		require.Equal(t, http.StatusNotFound, f.call("john", "POST", "/v1/users/me/emails/"+id+"/verify/confirm", `{"code":"123456"}`).status, id)
	}
}

func make65() []byte {
	id := make([]byte, 65)
	for i := range id {
		id[i] = 'a'
	}
	return id
}

func TestMethods(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, want := range map[string]string{
		"/v1/users/me":                         "DELETE, GET, HEAD, OPTIONS, PUT",
		"/v1/users/me/emails":                  "GET, HEAD, OPTIONS, POST",
		"/v1/users/me/emails/x":                "DELETE, GET, HEAD, OPTIONS",
		"/v1/users/me/emails/x/verify":         "OPTIONS, POST",
		"/v1/users/me/emails/x/verify/confirm": "OPTIONS, POST",
		"/v1/users/me/emails/x/primary":        "OPTIONS, PUT",
		"/openapi.json":                        "GET, HEAD, OPTIONS",
	} {
		for _, method := range []string{"PATCH", "TRACE", "CONNECT", "get", "PROPFIND"} {
			a := f.call("", method, path, "")
			require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, path)
			require.Equal(t, want, a.header.Get("Allow"))
		}
		a := f.call("", "OPTIONS", path, "")
		require.Equal(t, http.StatusNoContent, a.status)
		require.Equal(t, want, a.header.Get("Allow"))
	}
	require.Equal(t, http.StatusMethodNotAllowed, f.call("", "HEAD", "/v1/users/me/emails/x/verify", "").status)
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	for _, c := range []struct{ user, path string }{
		{"john", "/v1/users/me"}, {"john", "/v1/users/me/emails"}, {"john", emailPath(f.primary("john"))}, {"", "/openapi.json"},
		{"", "/v1/users/me"}, {"nobody", "/v1/users/me"}, {"john", emailPath("x")}, {"john", "/nowhere"},
	} {
		get, head := f.call(c.user, "GET", c.path, ""), f.call(c.user, "HEAD", c.path, "")
		require.Equal(t, get.status, head.status, c.path)
		require.Equal(t, get.header, head.header, c.path)
		require.Empty(t, head.body)
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	for prefix, base := range map[string]string{"": "/v1", "/": "", "/api/v2": "/api/v2"} {
		f.rebuild(func(cfg *httpapi.Config) { cfg.Prefix = prefix })
		r := newRequest("john", "POST", base+"/users/me/emails", `{"email":"x`+base[max(0, len(base)-1):]+`@example.com"}`)
		a := f.serve(r)
		require.Equal(t, http.StatusCreated, a.status, string(a.body))
		require.Equal(t, base+"/users/me/emails/"+a.text("emailId"), a.header.Get("Location"))
		require.Equal(t, http.StatusOK, f.serve(newRequest("john", "GET", a.header.Get("Location"), "")).status)
	}
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for given, want := range map[string]string{
		"abc-1._X":            "abc-1._X",
		"":                    fixedRequestID,
		"a b":                 fixedRequestID,
		"<script>":            fixedRequestID,
		"a\r\nX: y":           fixedRequestID,
		"é":                   fixedRequestID,
		string(make65()):      fixedRequestID,
		string(make65()[:64]): string(make65()[:64]),
	} {
		a := f.call("", "GET", "/v1/users/me", "", "X-Request-Id", given)
		require.Equal(t, want, a.header.Get("X-Request-Id"), given)
		require.Equal(t, want, a.text("requestId"), given)
	}
	a := f.call("", "GET", "/v1/users/me", "", "X-Request-Id", "one", "X-Request-Id", "two")
	require.Equal(t, fixedRequestID, a.text("requestId"))
	require.Equal(t, "one", f.call("", "OPTIONS", "/v1/users/me", "", "X-Request-Id", "one").header.Get("X-Request-Id"))

	f.rebuild(func(cfg *httpapi.Config) { cfg.NewRequestID = nil })
	first, second := f.call("", "GET", "/v1/users/me", ""), f.call("", "GET", "/v1/users/me", "")
	require.Regexp(t, `^req-[A-Z2-7]{26}$`, first.text("requestId"))
	require.NotEqual(t, first.text("requestId"), second.text("requestId"))
}
