package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// asServer in the environment makes the test binary the server itself, for tests that need a process.
const asServer = "USERCORE_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
	}
	os.Exit(m.Run())
}

// running is a server in this process, with the command line that it was started with.
type running struct {
	// output is what it printed when it was ready.
	output string
	// api and dynamodb are its URLs; dynamodb is empty when it is not served.
	api, dynamodb string

	cancel context.CancelFunc
	exited chan struct{}
	status int // after exited is closed
	stderr lockedBuffer
}

// start runs the program on a free port and returns when it is ready. It is stopped at the end of the test, with exit status 0.
func start(t testing.TB, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &running{cancel: cancel, exited: make(chan struct{})}
	ready := make(firstWrite, 1)
	go func() {
		s.status = run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), noVariables, ready, &s.stderr)
		close(s.exited)
	}()
	t.Cleanup(func() { require.Equal(t, exitOK, s.stop(), "exit status") })
	select {
	case s.output = <-ready:
	case <-s.exited:
		t.Fatalf("the server ended with status %d: %s", s.status, s.stderr.String())
	}
	s.api = between(s.output, "usercore: listening on ", "\n")
	s.dynamodb = between(s.output, "usercore: DynamoDB on ", ",")
	return s
}

// lockedBuffer is text that may be read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write adds to the text.
func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String is the text so far.
func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// stop is Ctrl-C: it returns the exit status.
func (s *running) stop() int {
	s.cancel()
	<-s.exited
	return s.status
}

// firstWrite hands on what is written first.
type firstWrite chan string

func (w firstWrite) Write(p []byte) (int, error) {
	select {
	case w <- string(p):
	default:
	}
	return len(p), nil
}

// between is what stands in text behind before, up to after; empty when before is not there.
func between(text, before, after string) string {
	_, rest, _ := strings.Cut(text, before)
	found, _, _ := strings.Cut(rest, after)
	return found
}

// client sends requests to a server and has every answer checked against the OpenAPI document.
type client struct {
	t     testing.TB
	url   string
	http  *http.Client
	token string // empty for none
}

func newClient(t testing.TB, url string) client {
	return newClientSeeing(t, url, nil)
}

// newClientSeeing is a client that notes in seen what was answered.
func newClientSeeing(t testing.TB, url string, seen *occurrences) client {
	transport := &http.Transport{MaxIdleConnsPerHost: 200}
	t.Cleanup(transport.CloseIdleConnections)
	checked := &checkedTransport{t: t, next: transport, contract: theContract(), seen: seen}
	return client{t: t, url: url, http: &http.Client{
		Transport:     checked,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// with is the client with another token.
func (c client) with(token string) client {
	c.token = token
	return c
}

// at is the client of another server.
func (c client) at(url string) client {
	c.url = url
	return c
}

// reply is an answer.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

// send sends a request; a body is JSON. It may be called from any goroutine: what fails is reported as an error with status 0.
func (c client) send(method, path, body string) reply {
	c.t.Helper()
	header := http.Header{}
	if body != "" {
		header.Set("Content-Type", "application/json")
	}
	return c.sendWith(header, method, path, body)
}

func (c client) sendWith(header http.Header, method, path, body string) reply {
	c.t.Helper()
	request, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return reply{t: c.t}
	}
	request.Header = header
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Error(err)
		return reply{t: c.t}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Error(err)
	}
	return reply{t: c.t, status: response.StatusCode, header: response.Header, body: string(text)}
}

// expect sends a request that must be answered with a status.
func (c client) expect(status int, method, path, body string) reply {
	c.t.Helper()
	r := c.send(method, path, body)
	require.Equal(c.t, status, r.status, "%s %s: %s", method, path, r.body)
	return r
}

// into decodes the body.
func (r reply) into(value any) {
	r.t.Helper()
	require.NoError(r.t, json.Unmarshal([]byte(r.body), value), r.body)
}

// text is a field of the body that is a string.
func (r reply) text(field string) string {
	r.t.Helper()
	fields := map[string]any{}
	r.into(&fields)
	text, isText := fields[field].(string)
	require.True(r.t, isText, "%s in %s", field, r.body)
	return text
}

// newUser signs a user up and returns a client with their token, and their id.
func (c client) newUser(email string) (client, string) {
	c.t.Helper()
	created := c.expect(http.StatusCreated, "POST", "/dev/users", `{"email":"`+email+`","firstName":"Ada","lastName":"Lovelace"}`)
	return c.with(created.text("accessToken")), created.text("userId")
}

// addEmail adds an address and returns its id.
func (c client) addEmail(email string) string {
	c.t.Helper()
	return c.expect(http.StatusCreated, "POST", "/v1/users/me/emails", `{"email":"`+email+`"}`).text("emailId")
}

// code is the last code that was mailed to an address.
func (c client) code(email string) string {
	c.t.Helper()
	var mails []mail
	c.expect(http.StatusOK, "GET", "/dev/mail?to="+email, "").into(&mails)
	require.NotEmpty(c.t, mails)
	return mails[0].Code
}

// requireClean runs the auditor and returns the number of accounts.
func (c client) requireClean() int {
	c.t.Helper()
	var report struct {
		Users      int               `json:"users"`
		Violations []json.RawMessage `json:"violations"`
	}
	r := c.expect(http.StatusOK, "GET", "/dev/audit", "")
	r.into(&report)
	require.NotNil(c.t, report.Violations, r.body)
	require.Empty(c.t, report.Violations)
	return report.Users
}

// someKeys are keys for services without a data file; making them takes a while.
var someKeys = sync.OnceValues(newKeys)

// atOnce calls f in n goroutines that begin together.
func atOnce(n int, f func(i int)) {
	var arrived atomic.Int64
	begin := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			if arrived.Add(1) == int64(n) {
				close(begin)
			}
			<-begin
			f(i)
		})
	}
	all.Wait()
}

// noVariables is an environment that asks for nothing, whatever that of the machine says.
func noVariables(string) string { return "" }
