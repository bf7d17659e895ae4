package integration_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// question is a request that changes nothing, so that all who are asked see the same accounts.
type question struct {
	name, method, path string
	header             map[string]string
	body               string
}

func questions(token string) []question {
	ada := map[string]string{"Authorization": "Bearer " + token}
	with := func(name, value string) map[string]string {
		header := map[string]string{name: value}
		maps.Copy(header, ada)
		return header
	}
	typed := with("Content-Type", "application/json")
	return []question{
		{"user", "GET", "/v1/users/me", ada, ""},
		{"head", "HEAD", "/v1/users/me", ada, ""},
		{"emails", "GET", "/v1/users/me/emails", ada, ""},
		{"document", "GET", "/openapi.json", nil, ""},
		{"options", "OPTIONS", "/v1/users/me", nil, ""},
		{"preflight", "OPTIONS", "/v1/users/me", map[string]string{"Origin": pageOrigin, "Access-Control-Request-Method": "PUT"}, ""},
		{"page", "GET", "/v1/users/me", with("Origin", pageOrigin), ""},
		{"no_token", "GET", "/v1/users/me", nil, ""},
		{"bad_token", "GET", "/v1/users/me", map[string]string{"Authorization": "Bearer a.b.c"}, ""},
		{"unknown_path", "GET", "/v1/nowhere", ada, ""},
		{"method", "PATCH", "/v1/users/me", ada, ""},
		{"bad_fields", "PUT", "/v1/users/me", typed, `{"firstName":"","phone":"0049"}`},
		{"bad_json", "PUT", "/v1/users/me", typed, `{"firstName":`},
		{"media_type", "PUT", "/v1/users/me", ada, `{}`},
		{"old_version", "PUT", "/v1/users/me", with("If-Match", `"99"`), `{}`},
		{"bad_address", "POST", "/v1/users/me/emails", typed, `{"email":"nobody"}`},
		{"too_large", "PUT", "/v1/users/me", typed, `{"firstName":"` + strings.Repeat("a", 70_000) + `"}`},
	}
}

const pageOrigin = "https://app.example.com"

// testSameAnswers asks the server and the function, two programs on one table, the same questions, the function in each shape of event: status,
// headers and body are the same, byte for byte.
func testSameAnswers(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	issuer := newIssuer(t)
	env := w.env(map[string]string{
		"USERCORE_ISSUER": issuer.url, "USERCORE_CLIENT_ID": "web", "USERCORE_MAIL_FROM": "accounts@example.com",
		"USERCORE_CODE_SECRET":  base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"USERCORE_EVENT_BUS":    "users",
		"USERCORE_CORS_ORIGINS": pageOrigin,
	})
	address := freeAddress(t)
	startProgram(t, t.TempDir(), environ(env), b.path("server"), "-addr", address)
	await(t, address)
	api := startFunction(t, b, "api", env)
	for _, q := range questions(issuer.token("ada")) {
		want := q.ask(t, "http://"+address)
		for _, shape := range []string{"rest", "http", "url"} {
			assert.Equal(t, want, q.invoke(t, api, shape), "%s: %s", shape, q.name)
		}
	}
}

// reply is what a client gets, but for the headers of the transport.
type reply struct {
	Status int
	Header map[string]string
	Body   string
}

func newReply(status int, header http.Header, body string) reply {
	r := reply{Status: status, Header: map[string]string{}, Body: body}
	for name, values := range header {
		switch name {
		case "Date", "Content-Length", "Connection":
		default:
			r.Header[name] = strings.Join(values, ", ")
		}
	}
	return r
}

// ask sends the question to a server.
func (q question) ask(t *testing.T, server string) reply {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), q.method, server+q.path, strings.NewReader(q.body))
	require.NoError(t, err)
	for name, value := range q.headers() {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return newReply(response.StatusCode, response.Header, string(body))
}

func (q question) headers() map[string]string {
	header := map[string]string{"X-Request-Id": "req-1"}
	maps.Copy(header, q.header)
	return header
}

// invoke sends the question to a function in an event of a shape.
func (q question) invoke(t *testing.T, f *function, shape string) reply {
	t.Helper()
	var answer struct {
		StatusCode        int
		Headers           map[string]string
		MultiValueHeaders http.Header
		Body              string
		IsBase64Encoded   bool
	}
	require.NoError(t, json.Unmarshal([]byte(f.invoke(q.event(t, shape))), &answer))
	require.False(t, answer.IsBase64Encoded)
	header := http.Header{}
	maps.Copy(header, answer.MultiValueHeaders)
	for name, value := range answer.Headers {
		header.Set(name, value)
	}
	return newReply(answer.StatusCode, header, answer.Body)
}

// event is the question as a gateway hands it over: its event of package gateway's test data, with the question's parts.
func (q question) event(t *testing.T, shape string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../examples/lambda/gateway/testdata", shape+".json"))
	require.NoError(t, err)
	var event map[string]any
	require.NoError(t, json.Unmarshal(text, &event))
	single, multi := map[string]string{}, map[string][]string{}
	for name, value := range q.headers() {
		single[strings.ToLower(name)], multi[name] = value, []string{value}
	}
	event["headers"] = single
	if shape == "rest" {
		event["httpMethod"], event["path"], event["multiValueHeaders"] = q.method, q.path, multi
	} else {
		event["rawPath"] = q.path
		event["requestContext"].(map[string]any)["http"].(map[string]any)["method"] = q.method
	}
	if q.body != "" {
		event["body"], event["isBase64Encoded"] = q.body, false
	}
	text, err = json.Marshal(event)
	require.NoError(t, err)
	return string(text)
}
