package gateway_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/examples/lambda/gateway"
)

// request is one request of a client, whichever way it comes.
type request struct {
	name, method, target string
	header               map[string]string
	body                 string
}

// requests are answered alike by the server and by the function in all event shapes.
func requests() []request {
	ada := map[string]string{"Authorization": "Bearer ada"}
	with := func(more map[string]string) map[string]string {
		header := maps.Clone(ada)
		maps.Copy(header, more)
		return header
	}
	body := with(map[string]string{"Content-Type": "application/json"})
	ifMatch := with(map[string]string{"Content-Type": "application/json", "If-Match": `"7"`})
	return []request{
		{"user", "GET", "/v1/users/me", ada, ""},
		{"head", "HEAD", "/v1/users/me", ada, ""},
		{"options", "OPTIONS", "/v1/users/me", nil, ""},
		{"openapi", "GET", "/openapi.json", nil, ""},
		{"emails", "GET", "/v1/users/me/emails", ada, ""},
		{"query", "GET", "/v1/users/me?a=1&b=%C3%A9&a=2", ada, ""},
		{"no_token", "GET", "/v1/users/me", nil, ""},
		{"unknown_user", "GET", "/v1/users/me", map[string]string{"Authorization": "Bearer nobody"}, ""},
		{"unknown_path", "GET", "/v1/nowhere", ada, ""},
		{"trailing_slash", "GET", "/v1/users/me/", ada, ""},
		{"dots", "GET", "/v1/users/./me", ada, ""},
		{"encoded_letter", "GET", "/v1/users/m%65", ada, ""},
		{"encoded_slash", "GET", "/v1/users/me/emails/a%2Fb", ada, ""},
		{"encoded_unicode", "GET", "/v1/users/me/emails/%E2%82%AC", ada, ""},
		{"method", "PATCH", "/v1/users/me", ada, ""},
		{"change", "PUT", "/v1/users/me", body, `{"firstName":"Grace","lastName":"Hopper"}`},
		{"if_match", "PUT", "/v1/users/me", ifMatch, `{"firstName":"Grace"}`},
		{"bad_field", "PUT", "/v1/users/me", body, `{"firstName":"","phone":"0049"}`},
		{"bad_json", "PUT", "/v1/users/me", body, `{"firstName":`},
		{"no_body", "PUT", "/v1/users/me", body, ""},
		{"not_utf8", "PUT", "/v1/users/me", body, "{\"firstName\":\"\xff\"}"},
		{"media_type", "PUT", "/v1/users/me", with(map[string]string{"Content-Type": "text/plain"}), "hello"},
		{"too_large", "PUT", "/v1/users/me", body, `{"firstName":"` + strings.Repeat("a", 70_000) + `"}`},
		{"bad_address", "POST", "/v1/users/me/emails", body, `{"email":"no address"}`},
		{"taken", "POST", "/v1/users/me/emails", body, `{"email":"bob@example.com"}`},
		{"add", "POST", "/v1/users/me/emails", body, `{"email":"grace@example.com"}`},
		{"delete", "DELETE", "/v1/users/me", ada, ""},
	}
}

// TestEventShapes wants the same status, headers and bytes from the function as from a server, for every shape of event. Each answer
// comes from a world of its own, so requests that change it can be in the table.
func TestEventShapes(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"rest", "http", "url"} {
		for _, base64Encoded := range []bool{false, true} {
			for _, r := range requests() {
				if !utf8.ValidString(r.body) && !base64Encoded {
					continue // the gateway encodes such a body always
				}
				name := shape + "/" + r.name
				if base64Encoded {
					name += "_base64"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					want := serve(t, r.as(t, shape))
					got := invoke(t, newAPI(t), eventOf(t, shape, r, base64Encoded))
					assert.Equal(t, want.status, got.status)
					assert.Equal(t, want.header, got.header)
					assert.Equal(t, want.body, got.body)
				})
			}
		}
	}
}

// as is the request as far as a gateway of a shape hands it over: an HTTP API decodes the path, and what was encoded without need is lost.
func (r request) as(t *testing.T, shape string) request {
	if shape == "http" {
		path, query, _ := strings.Cut(r.target, "?")
		r.target = (&url.URL{Path: decode(t, path), RawQuery: query}).RequestURI()
	}
	return r
}

func decode(t *testing.T, path string) string {
	t.Helper()
	decoded, err := url.PathUnescape(path)
	require.NoError(t, err)
	return decoded
}

// reply is an answer as a client sees it. Ids of new addresses are random; they are masked.
type reply struct {
	status int
	header map[string]string
	body   string
}

var newID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

func newReply(status int, header http.Header, body string) reply {
	r := reply{status: status, header: map[string]string{}, body: newID.ReplaceAllString(body, "an-id")}
	for name, values := range header {
		switch name {
		case "Date", "Content-Length", "Connection": // the transport's own
		default:
			r.header[name] = newID.ReplaceAllString(strings.Join(values, ", "), "an-id")
		}
	}
	return r
}

// serve sends a request to a server on a socket.
func serve(t *testing.T, r request) reply {
	t.Helper()
	server := httptest.NewServer(newAPI(t))
	defer server.Close()
	out, err := http.NewRequest(r.method, server.URL+r.target, strings.NewReader(r.body))
	require.NoError(t, err)
	out.Header.Set("X-Request-Id", requestID)
	for name, value := range r.header {
		out.Header.Set(name, value)
	}
	in, err := server.Client().Do(out)
	require.NoError(t, err)
	defer in.Body.Close()
	body, err := io.ReadAll(in.Body)
	require.NoError(t, err)
	return newReply(in.StatusCode, in.Header, string(body))
}

// invoke gives an event to the function and reads the answer as the gateway does.
func invoke(t *testing.T, handler http.Handler, event []byte) reply {
	t.Helper()
	function, err := gateway.New(handler, gateway.Config{})
	require.NoError(t, err)
	payload, err := function.Invoke(t.Context(), event)
	require.NoError(t, err)
	var out struct {
		StatusCode        int
		Headers           map[string]string
		MultiValueHeaders http.Header
		Body              string
		IsBase64Encoded   bool
	}
	decoder := json.NewDecoder(bytes.NewReader(payload))
	require.NoError(t, decoder.Decode(&out))
	header := http.Header{}
	maps.Copy(header, out.MultiValueHeaders)
	for name, value := range out.Headers {
		header[name] = []string{value}
	}
	body := []byte(out.Body)
	if out.IsBase64Encoded {
		body, err = base64.StdEncoding.DecodeString(out.Body)
		require.NoError(t, err)
	}
	return newReply(out.StatusCode, header, string(body))
}

// eventOf is a request in a shape: the file's event, with what belongs to the request replaced as the gateway would.
func eventOf(t *testing.T, shape string, r request, base64Encoded bool) []byte {
	t.Helper()
	event := readEvent(t, shape)
	path, query, _ := strings.Cut(r.target, "?")
	header := map[string]string{"X-Request-Id": requestID}
	maps.Copy(header, r.header)
	if shape == "rest" {
		event["httpMethod"], event["path"] = r.method, path
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		event["multiValueQueryStringParameters"] = values
		multi := event["multiValueHeaders"].(map[string]any)
		for name, value := range header {
			multi[name] = []string{value}
		}
	} else {
		event["rawPath"], event["rawQueryString"] = path, query
		if shape == "http" {
			event["rawPath"] = decode(t, path)
		}
		event["requestContext"].(map[string]any)["http"].(map[string]any)["method"] = r.method
		single := event["headers"].(map[string]any)
		for name, value := range header {
			single[strings.ToLower(name)] = value
		}
	}
	if r.body != "" {
		event["body"], event["isBase64Encoded"] = r.body, base64Encoded
		if base64Encoded {
			event["body"] = base64.StdEncoding.EncodeToString([]byte(r.body))
		}
	}
	payload, err := json.Marshal(event)
	require.NoError(t, err)
	return payload
}

func readEvent(t *testing.T, shape string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", shape+".json"))
	require.NoError(t, err)
	var event map[string]any
	require.NoError(t, json.Unmarshal(text, &event))
	return event
}
