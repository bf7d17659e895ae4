package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

// answers sends a request and checks the answer against the OpenAPI document; whatever a client sends, it is no fault of the service.
func (f *fixture) answers(t *testing.T, r *http.Request) reply {
	t.Helper()
	own := *f
	own.t = t
	a := own.send(r)
	require.Less(t, a.status, http.StatusInternalServerError, string(a.body))
	return a
}

func FuzzBody(f *testing.F) {
	for _, c := range readCases[struct{ Body string }](f, "bodies.json") {
		f.Add([]byte(c.Body))
	}
	f.Add([]byte("{\"firstName\":\"\xff\"}"))
	f.Add([]byte(`{"firstName":"\ud83d\ude00","phone":{"a":[{"a":1,"a":2}]}}`))
	f.Add([]byte(`{"email":"\u0000","code":"\ud800"}`))
	api := newFixture(f)
	api.user("john", "john@example.com")
	id := api.add("john", "a@example.com")
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, o := range []operation{
			{"PUT", "/v1/users/me", ""}, {"POST", "/v1/users/me/emails", ""}, {"POST", emailPath(id) + "/verify/confirm", ""},
		} {
			a := api.answers(t, newRequest("john", o.method, o.path, string(body), "Content-Type", "", "Content-Type", "application/json"))
			if a.status != http.StatusOK && a.status != http.StatusCreated {
				continue
			}
			require.True(t, utf8.Valid(body))
			var members map[string]*string
			require.NoError(t, json.Unmarshal(body, &members), "accepted: %q", body)
		}
	})
}

func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"/", "/v1/users/me", "/v1/users/me/", "/v1//users/me", "/v1/users/../users/me", "/v1/users/me/emails/%00", "/v1/users/me/emails/%2F",
		"/v1/users/me/emails/..", "/v1/users/me/emails/x/verify/confirm", "/v1/users/m%65", "/openapi.json", "/v1/users/me?x=%zz", "*", "//h/x",
		"http://h/v1/users/me", "/v1/users/me/emails/{emailId}", "/v1/users/me/emails/\u202e", "/v1/users/me/emails/%ff",
	} {
		f.Add("GET", path)
		f.Add("POST", path)
	}
	api := newFixture(f)
	api.user("john", "john@example.com")
	f.Fuzz(func(t *testing.T, method, path string) {
		target, err := url.ParseRequestURI(path)
		if err != nil || method == http.MethodDelete {
			return // a server refuses it before the handler is asked; or it ends the account
		}
		r := newRequest("john", "GET", "/", `{}`)
		r.Method, r.URL = method, target
		api.answers(t, r)
	})
}

func FuzzHeaders(f *testing.F) {
	f.Add("Bearer john", `"1", W/"2"`, "application/json; charset=utf-8", "abc", "https://app.example.com", "PUT")
	f.Add("bearer", "*", "text/plain", "a b", "null", "")
	f.Add("Bearer \x00", ",", ";", "\r\n", "*", "x")
	f.Add("Bearer a#b", `"`, "application/json;charset", "é", "", "PUT")
	api := newFixture(f)
	api.user("john", "john@example.com")
	api.rebuild(func(cfg *httpapi.Config) { cfg.CORS.AllowedOrigins = []string{"https://app.example.com"} })
	f.Fuzz(func(t *testing.T, authorization, ifMatch, contentType, requestID, origin, requested string) {
		for _, method := range []string{"PUT", "OPTIONS", "GET"} {
			r := newRequest("", method, "/v1/users/me", `{}`)
			r.Header = http.Header{
				"Authorization": {authorization}, "If-Match": {ifMatch}, "Content-Type": {contentType}, "X-Request-Id": {requestID},
				"Origin": {origin}, "Access-Control-Request-Method": {requested},
			}
			a := api.answers(t, r)
			require.Regexp(t, `^[A-Za-z0-9._-]{1,64}$`, a.header.Get("X-Request-Id"))
		}
	})
}
