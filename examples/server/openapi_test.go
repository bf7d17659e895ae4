package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
)

func TestOpenAPIDocumentIsValid(t *testing.T) {
	t.Parallel()
	right, problems := theContract().validator.ValidateDocument()
	assert.True(t, right, describe(problems))
}

// TestOpenAPI makes every route answer with every status that the document has for it. The transport of the clients checks
// requests and answers against the document.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.succeed()
	w.refuseTokens()
	w.refuseAccounts()
	w.refuseBodies()
	w.refuseStates()
	w.fail()

	for _, o := range theContract().operations {
		for _, status := range o.statuses {
			if o.path == "/openapi.json" && status == "500" {
				continue // takes a panic in a handler that does nothing
			}
			what := o.method + " " + o.path + " " + status
			assert.True(t, w.seen.has(what), "%s did not occur", what)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(fromSpecification), "\n") {
		words := strings.Fields(line)
		for _, status := range words[2:] {
			what := words[0] + " /v1" + words[1] + " " + status
			assert.True(t, w.seen.has(what), "%s did not occur", what)
		}
	}
}

// fromSpecification is the statuses that the specification of the API lists, some of which it implies.
const fromSpecification = `
GET    /users/me                                 200 401 404
PUT    /users/me                                 200 400 401 409
DELETE /users/me                                 200 401
GET    /users/me/emails                          200 401
POST   /users/me/emails                          201 400 401 409 429
DELETE /users/me/emails/{emailId}                204 400 401 404
POST   /users/me/emails/{emailId}/verify         200 400 401 429
POST   /users/me/emails/{emailId}/verify/confirm 200 400 401 429
PUT    /users/me/emails/{emailId}/primary        200 400 401 404
`

// world is one table behind servers that differ in what goes wrong.
type world struct {
	t    *testing.T
	seen *occurrences
	// right is in order, limited admits nobody, broken is refused by the table, hanging gets no answer from it.
	right, limited, broken, hanging client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := memdynamo.New(memdynamo.Options{})
	keys, err := someKeys()
	require.NoError(t, err)
	require.NoError(t, createTable(t.Context(), db.Client(), userstore.TableDefinition(tableName)))
	require.NoError(t, createTable(t.Context(), db.Client(), outboxDefinition()))
	w := &world{t: t, seen: &occurrences{}}
	serve := func(next http.RoundTripper, config httpapi.Config) client {
		config.Logger = slog.New(slog.DiscardHandler)
		cloud := newCloud(db)
		cloud.transport = next
		a, err := assemble(cloud, keys, config)
		require.NoError(t, err)
		server := httptest.NewServer(a.handler())
		t.Cleanup(server.Close)
		return newClientSeeing(t, server.URL, w.seen)
	}
	w.right = serve(db.Transport(), httpapi.Config{})
	w.limited = serve(db.Transport(), httpapi.Config{Limiter: closedLimiter{}})
	w.broken = serve(transportFunc(denied), httpapi.Config{})
	w.hanging = serve(transportFunc(silent), httpapi.Config{Timeout: 10 * time.Millisecond})
	return w
}

// transportFunc is a DynamoDB as a function.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// denied is a DynamoDB that the service has no rights on.
func denied(*http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusBadRequest,
		Header:     http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:       io.NopCloser(strings.NewReader(`{"__type":"com.amazon.coral.service#AccessDeniedException","message":"denied"}`)),
	}, nil
}

// silent is a DynamoDB that never answers.
func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// closedLimiter admits nothing for a minute.
type closedLimiter struct{}

func (closedLimiter) Allow(context.Context, string) (ratelimit.Decision, error) {
	return ratelimit.Decision{Limit: 1, RetryAfter: time.Minute, ResetAfter: time.Minute}, nil
}

// request is a request to a route that takes a token.
type request struct{ method, path, body string }

// requests has one request for each route that takes a token; their bodies are right.
func requests(emailID string) []request {
	const all = "/v1/users/me/emails"
	one := all + "/" + emailID
	return []request{
		{"GET", "/v1/users/me", ""},
		{"PUT", "/v1/users/me", `{"firstName":"Grace"}`},
		{"DELETE", "/v1/users/me", ""},
		{"GET", all, ""},
		{"POST", all, `{"email":"someone@example.com"}`},
		{"GET", one, ""},
		{"DELETE", one, ""},
		{"POST", one + "/verify", ""},
		{"POST", one + "/verify/confirm", `{"code":"123456"}`},
		{"PUT", one + "/primary", ""},
	}
}

// succeed uses every route as it is meant to be used.
func (w *world) succeed() {
	c, _ := w.right.newUser("succeed@example.com")
	w.right.expect(200, "GET", "/openapi.json", "")
	c.expect(200, "PUT", "/v1/users/me", `{"firstName":"Grace","lastName":"Hopper","phone":"+14155550100"}`)
	require.Equal(w.t, "Grace", c.expect(200, "GET", "/v1/users/me", "").text("firstName"))
	id := c.addEmail("succeed.work@example.com")
	one := "/v1/users/me/emails/" + id
	c.expect(200, "GET", one, "")
	c.expect(200, "POST", one+"/verify", "")
	c.expect(200, "POST", one+"/verify/confirm", `{"code":"`+c.code("succeed.work@example.com")+`"}`)
	c.expect(200, "PUT", one+"/primary", "")
	other := c.addEmail("succeed.home@example.com")
	c.expect(200, "GET", "/v1/users/me/emails", "")
	c.expect(204, "DELETE", "/v1/users/me/emails/"+other, "")
	deleted := c.expect(200, "DELETE", "/v1/users/me", "")
	require.Equal(w.t, deleted.body, c.expect(200, "DELETE", "/v1/users/me", "").body)
}

// refuseTokens asks without a token, and with the token of nobody.
func (w *world) refuseTokens() {
	nobody := w.right.with(w.right.expect(200, "POST", "/dev/tokens", `{"userId":"nobody"}`).text("accessToken"))
	for _, r := range requests("some-id") {
		w.right.expect(401, r.method, r.path, r.body)
		nobody.expect(404, r.method, r.path, r.body)
	}
}

// refuseAccounts asks for accounts that are suspended or deleted.
func (w *world) refuseAccounts() {
	c, userID := w.right.newUser("inactive@example.com")
	id := c.addEmail("inactive.work@example.com")
	w.right.expect(204, "POST", "/dev/users/"+userID+"/suspend", `{"reason":"a test"}`)
	require.Equal(w.t, "suspended", c.expect(200, "GET", "/v1/users/me", "").text("status"))
	for _, r := range requests(id) {
		if r.method != "GET" && r.path != "/v1/users/me" {
			c.expect(403, r.method, r.path, r.body)
		}
	}
	c.expect(403, "PUT", "/v1/users/me", `{"firstName":"Grace"}`)
	c.expect(200, "DELETE", "/v1/users/me", "")
	for _, r := range requests(id) {
		if r.method != "DELETE" || r.path != "/v1/users/me" {
			c.expect(403, r.method, r.path, r.body)
		}
	}
}

// refuseBodies sends what the routes do not take.
func (w *world) refuseBodies() {
	c, _ := w.right.newUser("bodies@example.com")
	for _, r := range requests(c.addEmail("bodies.work@example.com")) {
		if r.body == "" {
			continue
		}
		c.expect(400, r.method, r.path, `{"unknown":1}`)
		c.expect(413, r.method, r.path, `{"email":"`+strings.Repeat("x", 64<<10)+`"}`)
		text := c.sendWith(http.Header{"Content-Type": {"text/plain"}}, r.method, r.path, r.body)
		require.Equal(w.t, 415, text.status)
	}
	stale := http.Header{"Content-Type": {"application/json"}, "If-Match": {`"17"`}}
	require.Equal(w.t, 409, c.sendWith(stale, "PUT", "/v1/users/me", `{"firstName":"Grace"}`).status)
}

// refuseStates asks for what account and addresses are not in a state for.
func (w *world) refuseStates() {
	w.right.newUser("holder@example.com")
	c, _ := w.right.newUser("states@example.com")
	c.expect(409, "POST", "/v1/users/me/emails", `{"email":"holder@example.com"}`)
	emails := struct{ Emails []struct{ EmailID string } }{}
	c.expect(200, "GET", "/v1/users/me/emails", "").into(&emails)
	primary := "/v1/users/me/emails/" + emails.Emails[0].EmailID
	c.expect(400, "DELETE", primary, "")
	c.expect(400, "POST", primary+"/verify", "")

	work := "/v1/users/me/emails/" + c.addEmail("states.work@example.com")
	c.expect(400, "PUT", work+"/primary", "")
	wrong := "000000"
	if c.code("states.work@example.com") == wrong {
		wrong = "000001"
	}
	for range 5 {
		c.expect(400, "POST", work+"/verify/confirm", `{"code":"`+wrong+`"}`)
	}
	c.expect(429, "POST", work+"/verify/confirm", `{"code":"`+wrong+`"}`)
	c.expect(200, "POST", work+"/verify", "")
	c.expect(200, "POST", work+"/verify", "")
	c.expect(429, "POST", work+"/verify", "")
	for _, name := range []string{"a", "b", "c"} {
		c.addEmail("states." + name + "@example.com")
	}
	c.expect(429, "POST", "/v1/users/me/emails", `{"email":"states.d@example.com"}`)
}

// fail asks servers on which nothing goes.
func (w *world) fail() {
	c, _ := w.right.newUser("fail@example.com")
	for _, r := range requests(c.addEmail("fail.work@example.com")) {
		w.limited.with(c.token).expect(429, r.method, r.path, r.body)
		w.broken.with(c.token).expect(500, r.method, r.path, r.body)
		w.hanging.with(c.token).expect(503, r.method, r.path, r.body)
	}
	w.right.expect(200, "GET", "/readyz", "")
	require.Equal(w.t, "1", w.broken.expect(503, "GET", "/readyz", "").header.Get("Retry-After"))
	w.broken.expect(200, "GET", "/healthz", "")
	w.broken.expect(500, "POST", "/dev/users", `{"email":"broken@example.com"}`)
	w.broken.expect(500, "GET", "/dev/audit", "")
}
