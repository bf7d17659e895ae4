package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

// TestRequests holds the requests to DynamoDB of each route, in both status modes. It is the table of the package page.
func TestRequests(t *testing.T) {
	t.Parallel()
	type call func(f *fixture, id string) reply
	of := func(method, rest, body string) call {
		return func(f *fixture, id string) reply { return f.call(f.issued("john"), method, emailPath(id)+rest, body) }
	}
	me := func(method, path, body string) call {
		return func(f *fixture, _ string) reply { return f.call(f.issued("john"), method, "/v1/users/me"+path, body) }
	}
	for name, c := range map[string]struct {
		call                 call
		confirmed            bool // the address of the request
		status               int
		writes, everyRequest int
	}{
		"get user":         {me("GET", "", ""), false, http.StatusOK, 1, 1},
		"update":           {me("PUT", "", `{"firstName":"A"}`), false, http.StatusOK, 2, 2},
		"update, no field": {me("PUT", "", `{}`), false, http.StatusOK, 2, 2},
		"update, bad body": {me("PUT", "", `[]`), false, http.StatusBadRequest, 0, 1},
		"delete user":      {me("DELETE", "", ""), false, http.StatusOK, 2, 2},
		"list":             {me("GET", "/emails", ""), false, http.StatusOK, 1, 1},
		"add":              {me("POST", "/emails", `{"email":"new@example.com"}`), false, http.StatusCreated, 3, 3},
		"add, taken":       {me("POST", "/emails", `{"email":"john@example.com"}`), false, http.StatusConflict, 2, 2},
		"get address":      {of("GET", "", ""), false, http.StatusOK, 1, 1},
		"remove":           {of("DELETE", "", ""), false, http.StatusNoContent, 2, 3},
		"send code":        {of("POST", "/verify", ""), false, http.StatusOK, 3, 4},
		"send code, done":  {of("POST", "/verify", ""), true, http.StatusBadRequest, 1, 2},
		"confirm": {func(f *fixture, id string) reply {
			return f.call(f.issued("john"), "POST", emailPath(id)+"/verify/confirm", `{"code":"`+f.mail.code("a@example.com")+`"}`)
		}, false, http.StatusOK, 3, 4},
		"confirm, wrong": {func(f *fixture, id string) reply {
			return f.call(f.issued("john"), "POST", emailPath(id)+"/verify/confirm", `{"code":"`+f.mail.wrong("a@example.com")+`"}`)
		}, false, http.StatusBadRequest, 2, 3},
		"confirm, malformed": {of("POST", "/verify/confirm", `{"code":"1"}`), false, http.StatusBadRequest, 0, 1},
		"set primary":        {of("PUT", "/primary", ""), true, http.StatusOK, 2, 3},
		"document":           {func(f *fixture, _ string) reply { return f.call("", "GET", "/openapi.json", "") }, false, http.StatusOK, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for mode, want := range map[httpapi.StatusCheck]int{httpapi.Writes: c.writes, httpapi.EveryRequest: c.everyRequest} {
				f := newFixture(t)
				f.user("john", "john@example.com")
				id := f.add("john", "a@example.com")
				if c.confirmed {
					require.Equal(t, http.StatusOK, f.confirm(id, f.mail.code("a@example.com")).status)
				}
				f.clock.advance(time.Second)
				require.NoError(t, f.handler.SetStatusCheck(mode))
				var a reply
				got := f.requests.during(func() { a = c.call(f, id) })
				require.Equal(t, c.status, a.status, string(a.body))
				require.Equal(t, want, got, "in mode %d", mode)
			}
		})
	}
}
