package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// fixture is the API on the real stores over a table in memory, with a clock that the test moves.
type fixture struct {
	t         testing.TB
	clock     *clock
	mail      *mailbox
	requests  *counter // of DynamoDB
	store     *userstore.Store
	users     httpapi.Users
	addresses httpapi.Addresses
	cfg       httpapi.Config
	handler   *httpapi.Handler
	document  *openAPI
}

const fixedRequestID = "req-abc-123"

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{
		t: t, clock: &clock{now: time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)},
		mail: &mailbox{codes: map[string]string{}}, requests: &counter{},
	}
	client := memdynamo.New(memdynamo.Options{Now: f.clock.Now}).Client(func(o *dynamodb.Options) {
		f.requests.next = o.HTTPClient
		o.HTTPClient = f.requests
	})
	const name = "users"
	_, err := client.CreateTable(t.Context(), userstore.TableDefinition(name))
	require.NoError(t, err)
	cfg := userstore.Config{Table: name, Now: f.clock.Now}
	f.store, err = userstore.New(client, cfg)
	require.NoError(t, err)
	secrets := []emails.Secret{{ID: "1", Key: []byte("0123456789abcdef0123456789abcdef")}}
	addresses, err := emails.New(client, f.mail, secrets, emails.Config{Store: cfg})
	require.NoError(t, err)
	f.users, f.addresses = f.store, addresses
	f.cfg = httpapi.Config{Now: f.clock.Now, NewRequestID: func() string { return fixedRequestID }}
	f.document = readDocument(t)
	f.rebuild(nil)
	return f
}

// rebuild makes the handler anew, after users, addresses or the configuration have changed.
func (f *fixture) rebuild(edit func(*httpapi.Config)) {
	f.t.Helper()
	if edit != nil {
		edit(&f.cfg)
	}
	var err error
	f.handler, err = httpapi.New(f.users, f.addresses, tokens{}, f.cfg)
	require.NoError(f.t, err)
}

// user makes an account with a verified address.
func (f *fixture) user(id, email string) {
	f.t.Helper()
	_, err := f.store.Create(f.t.Context(), userstore.NewUser{
		UserID: id, Email: email, EmailVerified: true, FirstName: "John", LastName: "Doe",
	})
	require.NoError(f.t, err)
}

// add adds an address through the API and returns its id.
func (f *fixture) add(user, email string) string {
	f.t.Helper()
	a := f.call(user, "POST", "/v1/users/me/emails", `{"email":"`+email+`"}`)
	require.Equal(f.t, http.StatusCreated, a.status, string(a.body))
	return a.text("emailId")
}

// confirmed adds an address and confirms it.
func (f *fixture) confirmed(user, email string) string {
	f.t.Helper()
	id := f.add(user, email)
	a := f.call(user, "POST", emailPath(id)+"/verify/confirm", `{"code":"`+f.mail.code(email)+`"}`)
	require.Equal(f.t, http.StatusOK, a.status, string(a.body))
	return id
}

// primary is the id of a user's primary address.
func (f *fixture) primary(user string) string {
	f.t.Helper()
	u, err := f.store.Get(f.t.Context(), user)
	require.NoError(f.t, err)
	return u.PrimaryEmailID
}

func emailPath(id string) string { return "/v1/users/me/emails/" + id }

// call sends a request as a user ("" for none) with a body of JSON, if there is one, and checks the answer against the OpenAPI document.
func (f *fixture) call(user, method, path, body string, headers ...string) reply {
	f.t.Helper()
	r := newRequest(user, method, path, body, headers...)
	return f.send(r)
}

// newRequest makes a request; headers are names and values in turn. An empty value removes the header.
func newRequest(user, method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if user != "" {
		r.Header.Set("Authorization", "Bearer "+user)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// send sends a request and checks the answer against the OpenAPI document.
func (f *fixture) send(r *http.Request) reply {
	f.t.Helper()
	a := f.serve(r)
	f.document.check(f.t, r.Method, r.URL.EscapedPath(), a)
	return a
}

// serve only sends a request.
func (f *fixture) serve(r *http.Request) reply {
	recorder := httptest.NewRecorder()
	f.handler.ServeHTTP(recorder, r)
	return reply{t: f.t, status: recorder.Code, header: recorder.Header(), body: recorder.Body.Bytes()}
}

// reply is an answer as the client gets it.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// value is a member of the body.
func (a reply) value(name string) any {
	a.t.Helper()
	var members map[string]any
	require.NoError(a.t, json.Unmarshal(a.body, &members), string(a.body))
	return members[name]
}

func (a reply) text(name string) string {
	a.t.Helper()
	text, _ := a.value(name).(string)
	return text
}

// decode reads the body into a struct.
func (a reply) decode(into any) {
	a.t.Helper()
	require.NoError(a.t, json.Unmarshal(a.body, into), string(a.body))
}

// fields are the fields that details name.
func (a reply) fields() []string {
	a.t.Helper()
	var body struct{ Details []struct{ Field string } }
	require.NoError(a.t, json.Unmarshal(a.body, &body))
	names := make([]string, len(body.Details))
	for i, d := range body.Details {
		names[i] = d.Field
	}
	return names
}

// issued is a token of a user with the time of the clock.
func (f *fixture) issued(user string) string {
	return user + "@" + strconv.FormatInt(f.clock.Now().Unix(), 10)
}

// lines are the records that a JSON handler of slog has written.
func lines(t testing.TB, log io.Reader) []map[string]any {
	t.Helper()
	all, err := io.ReadAll(log)
	require.NoError(t, err)
	var records []map[string]any
	for line := range bytes.Lines(all) {
		var record map[string]any
		require.NoError(t, json.Unmarshal(line, &record))
		records = append(records, record)
	}
	return records
}
