package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// region is AWS as a deployed server sees it: a DynamoDB on a socket, the keys of a user pool, an event bus and SES. It keeps what was sent
// to the last two.
type region struct {
	t      *testing.T
	db     *memdynamo.DB
	issuer *issuer
	url    string
	sent   chan string // bodies for the bus and SES
}

func newRegion(t *testing.T) *region {
	t.Helper()
	keys, err := newKeys()
	require.NoError(t, err)
	r := &region{t: t, db: memdynamo.New(memdynamo.Options{}), sent: make(chan string, 100)}
	r.issuer, err = newIssuer(keys.signing, time.Now)
	require.NoError(t, err)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL
	client := r.db.Client()
	require.NoError(t, createTable(t.Context(), client, userstore.TableDefinition("accounts")))
	for _, name := range []string{"events", "limits"} {
		definition := outboxDefinition()
		definition.TableName = aws.String(name)
		require.NoError(t, createTable(t.Context(), client, definition))
	}
	return r
}

// ServeHTTP tells the services apart by what each has in its requests.
func (r *region) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	target := request.Header.Get("X-Amz-Target")
	switch {
	case request.URL.Path == "/keys":
		assert.NoError(r.t, json.NewEncoder(w).Encode(r.issuer.keys))
	case request.URL.Path == "/v2/email/outbound-emails":
		r.keep(request.Body)
		_, _ = io.WriteString(w, `{"MessageId":"1"}`)
	case target == "AWSEvents.DescribeEventBus":
		_, _ = io.WriteString(w, `{"Name":"users"}`)
	case target == "AWSEvents.PutEvents":
		entries := strings.Count(r.keep(request.Body), `"DetailType"`)
		taken := strings.TrimSuffix(strings.Repeat(`{"EventId":"1"},`, entries), ",")
		_, _ = io.WriteString(w, `{"FailedEntryCount":0,"Entries":[`+taken+`]}`)
	default:
		r.db.ServeHTTP(w, request)
	}
}

func (r *region) keep(body io.Reader) string {
	text, err := io.ReadAll(body)
	assert.NoError(r.t, err)
	r.sent <- string(text)
	return string(text)
}

// await returns the first that was sent and has the text in it.
func (r *region) await(text string) string {
	r.t.Helper()
	for {
		select {
		case sent := <-r.sent:
			if strings.Contains(sent, text) {
				return sent
			}
		case <-r.t.Context().Done():
			r.t.Fatalf("nothing was sent that has %s", text)
		}
	}
}

// variables are those of a deployment in the region.
func (r *region) variables(more map[string]string) map[string]string {
	variables := map[string]string{
		"USERCORE_TABLE": "accounts", "USERCORE_OUTBOX_TABLE": "events", "USERCORE_RATELIMIT_TABLE": "limits", "USERCORE_EVENT_BUS": "users",
		"USERCORE_ISSUER": issuerURL, "USERCORE_JWKS_URL": r.url + "/keys", "USERCORE_CLIENT_ID": clientID,
		"USERCORE_CODE_SECRET": base64.StdEncoding.EncodeToString(make([]byte, codeSecretBytes)),
		"USERCORE_MAIL_FROM":   "accounts@example.com", "USERCORE_CORS_ORIGINS": "https://app.example.com",
	}
	maps.Copy(variables, more)
	return variables
}

// process is the server as a process of its own, in an environment of these variables and what the SDK needs.
func (r *region) process(variables map[string]string, args ...string) *exec.Cmd {
	r.t.Helper()
	self, err := os.Executable()
	require.NoError(r.t, err)
	process := exec.Command(self, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	process.Env = []string{
		asServer + "=1", "HOME=/nonexistent", "GORACE=atexit_sleep_ms=0", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=any",
		"AWS_SECRET_ACCESS_KEY=any", "AWS_ENDPOINT_URL=" + r.url,
	}
	for name, value := range variables {
		process.Env = append(process.Env, name+"="+value)
	}
	return process
}

// run starts a process, which is stopped at the end of the test with exit status 0, and returns its URL and all that it says until then.
func (r *region) run(process *exec.Cmd) string {
	r.t.Helper()
	stdout, err := process.StdoutPipe()
	require.NoError(r.t, err)
	var stderr bytes.Buffer
	process.Stderr = &stderr
	require.NoError(r.t, process.Start())
	lines := bufio.NewReader(stdout)
	ready, err := lines.ReadString('\n')
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Log(stderr.String())
		}
	})
	require.NoError(r.t, err)
	r.t.Cleanup(func() {
		require.NoError(r.t, process.Process.Signal(os.Interrupt))
		rest, err := io.ReadAll(lines)
		require.NoError(r.t, err)
		assert.Empty(r.t, string(rest), "the walk-through is for the local mode")
		require.NoError(r.t, process.Wait(), "exit status 0")
	})
	return between(ready, "usercore: listening on ", "\n")
}

// TestDeployed runs the server on AWS as far as it can tell: an address is added, mailed through SES, confirmed and made the primary one with
// tokens that the pool's keys verify, and the events reach the bus.
func TestDeployed(t *testing.T) {
	t.Parallel()
	r := newRegion(t)
	users, err := userstore.New(r.db.Client(), userstore.Config{Table: "accounts"})
	require.NoError(t, err)
	_, err = users.Create(t.Context(), userstore.NewUser{UserID: "ada", Email: "ada@example.com", EmailVerified: true, FirstName: "Ada"})
	require.NoError(t, err)
	token, err := r.issuer.accessToken("ada", time.Hour, nil)
	require.NoError(t, err)
	ada := newClient(t, r.run(r.process(r.variables(nil)))).with(token)

	ada.expect(http.StatusOK, "GET", "/healthz", "")
	ada.expect(http.StatusOK, "GET", "/readyz", "")
	ada.with("").expect(http.StatusUnauthorized, "GET", "/v1/users/me", "")
	assert.Equal(t, "Ada", ada.expect(http.StatusOK, "GET", "/v1/users/me", "").text("firstName"))
	id := ada.addEmail("work@example.com")
	code := regexp.MustCompile(`[0-9]{6}`).FindString(between(r.await("work@example.com"), "Your code is ", "."))
	ada.expect(http.StatusOK, "POST", "/v1/users/me/emails/"+id+"/verify/confirm", `{"code":"`+code+`"}`)
	ada.expect(http.StatusOK, "PUT", "/v1/users/me/emails/"+id+"/primary", "")
	assert.Contains(t, r.await("email.primary.changed"), `"Source":"user-service"`)
	limits, err := r.db.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("limits")})
	require.NoError(t, err)
	assert.NotZero(t, limits.Count, "the limits have a table of their own")

	for _, path := range []string{"/dev/mail", "/dev/users", "/dev/faults", "/.well-known/jwks.json"} {
		ada.expect(http.StatusNotFound, "GET", path, "")
	}
}

// TestNotReady has a table without what it should have.
func TestNotReady(t *testing.T) {
	t.Parallel()
	r := newRegion(t)
	variables := r.variables(map[string]string{"USERCORE_TABLE": "limits"}) // has the keys, but no index
	newClient(t, r.run(r.process(variables))).expect(http.StatusServiceUnavailable, "GET", "/readyz", "")
}

// TestCORS lets pages of the named origin read answers.
func TestCORS(t *testing.T) {
	t.Parallel()
	r := newRegion(t)
	url := r.run(r.process(r.variables(nil)))
	for origin, want := range map[string]string{"https://app.example.com": "https://app.example.com", "https://other.example": ""} {
		request, err := http.NewRequest(http.MethodOptions, url+"/v1/users/me", nil)
		require.NoError(t, err)
		request.Header = http.Header{
			"Origin": {origin}, "Access-Control-Request-Method": {"PUT"}, "Access-Control-Request-Headers": {"authorization,if-match"},
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		assert.Equal(t, http.StatusNoContent, response.StatusCode)
		assert.Equal(t, want, response.Header.Get("Access-Control-Allow-Origin"))
	}
}

// TestDeployedRefuses names what is missing or contradicts something, at start.
func TestDeployedRefuses(t *testing.T) {
	t.Parallel()
	r := newRegion(t)
	without := func(name string) map[string]string { return r.variables(map[string]string{name: ""}) }
	cases := map[string]struct {
		variables map[string]string
		args      []string
		says      []string
	}{
		"one_alone": {map[string]string{"USERCORE_TABLE": "t"}, nil, []string{
			"USERCORE_OUTBOX_TABLE: is not set", "USERCORE_EVENT_BUS: is not set", "USERCORE_USER_POOL_ID: is not set",
			"USERCORE_CLIENT_ID: is not set", "USERCORE_CODE_SECRET: is not set", "USERCORE_MAIL_FROM: is not set",
		}},
		"no_table":  {without("USERCORE_TABLE"), nil, []string{"USERCORE_TABLE: is not set"}},
		"no_bus":    {without("USERCORE_EVENT_BUS"), nil, []string{"USERCORE_EVENT_BUS: is not set"}},
		"no_events": {r.variables(map[string]string{"USERCORE_NO_OUTBOX": "1"}), nil, []string{"USERCORE_NO_OUTBOX: contradicts USERCORE_OUTBOX_TABLE"}},
		"gateway":   {r.variables(map[string]string{"USERCORE_AUTH": "gateway"}), nil, []string{"USERCORE_AUTH: gateway is for"}},
		"no_region": {r.variables(map[string]string{"AWS_REGION": ""}), nil, []string{"AWS_REGION: is not set"}},
		"data":      {r.variables(nil), []string{"-data", "x"}, []string{"-data contradicts USERCORE_TABLE"}},
		"dynamodb":  {r.variables(nil), []string{"-dynamodb", "127.0.0.1:0"}, []string{"-dynamodb contradicts USERCORE_TABLE"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			output, err := r.process(c.variables, c.args...).CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			assert.Equal(t, exitFailed, exit.ExitCode())
			for _, text := range c.says {
				assert.Equal(t, 1, strings.Count(string(output), text), "%s in %s", text, output)
			}
		})
	}
}

// TestFirstSetDecides: none of the variables that other programs and tests of the repository read makes a server a deployed one.
func TestFirstSetDecides(t *testing.T) {
	t.Parallel()
	others := map[string]string{"USERCORE_ENDPOINT": "x", "USERCORE_TEST_DYNAMODB": "x", "AWS_REGION": "x"}
	assert.Empty(t, deployment.FirstSet(func(name string) string { return others[name] }))
}
