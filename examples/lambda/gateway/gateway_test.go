package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/examples/lambda/gateway"
	"github.com/usercore-go/usercore/httpapi"
)

// TestAuthorizerClaims lets the authorizer's claims speak for the request where there is an authorizer, and nowhere else.
func TestAuthorizerClaims(t *testing.T) {
	t.Parallel()
	for shape, want := range map[string]int{"rest": http.StatusOK, "http": http.StatusOK, "url": http.StatusUnauthorized} {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			api := newAPIWith(t, httpapi.GatewayClaims{ClientIDs: []string{"web"}})
			forged := map[string]string{"Authorization": "Bearer bob", "X-Claims": `{"sub":"bob"}`}
			got := invoke(t, api, eventOf(t, shape, request{"", "GET", "/v1/users/me", forged, ""}, false))
			assert.Equal(t, want, got.status)
			if want == http.StatusOK {
				assert.Contains(t, got.body, "ada@example.com")
			}
		})
	}
}

// TestClaimsOfOtherAuthorizers are none: a Lambda or IAM authorizer hands over what it likes.
func TestClaimsOfOtherAuthorizers(t *testing.T) {
	t.Parallel()
	for name, authorizer := range map[string]any{
		"null":        nil,
		"text":        "ada",
		"flat":        map[string]any{"sub": "ada"},
		"text_claims": map[string]any{"claims": "ada", "jwt": "ada"},
		"iam":         map[string]any{"iam": map[string]any{"userId": "ada"}},
		"wrong_place": map[string]any{"claims": map[string]any{"sub": "ada", "client_id": "web", "token_use": "access"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			event := readEvent(t, "http")
			event["requestContext"].(map[string]any)["authorizer"] = authorizer
			payload, err := json.Marshal(event)
			require.NoError(t, err)
			api := newAPIWith(t, httpapi.GatewayClaims{ClientIDs: []string{"web"}})
			assert.Equal(t, http.StatusUnauthorized, invoke(t, api, payload).status)
		})
	}
}

// TestUnknownEvents are errors: an answer would hide that the function stands behind the wrong thing.
func TestUnknownEvents(t *testing.T) {
	t.Parallel()
	function, err := gateway.New(http.NotFoundHandler(), gateway.Config{})
	require.NoError(t, err)
	for name, event := range map[string]string{
		"no_json":     `{`,
		"null":        `null`,
		"list":        `[]`,
		"empty":       `{}`,
		"schedule":    `{"version":"0","source":"aws.events","detail-type":"Scheduled Event","detail":{}}`,
		"sqs":         `{"Records":[{"eventSource":"aws:sqs","body":"{}"}]}`,
		"balancer":    `{"requestContext":{"elb":{"targetGroupArn":"arn:aws:x"}},"httpMethod":"GET","path":"/","headers":{},"body":""}`,
		"websocket":   `{"requestContext":{"routeKey":"$connect","eventType":"CONNECT"},"isBase64Encoded":false}`,
		"version":     `{"version":"3.0","requestContext":{"http":{"method":"GET"}},"rawPath":"/"}`,
		"bad_base64":  `{"version":"2.0","requestContext":{"http":{"method":"PUT"}},"rawPath":"/","body":"%","isBase64Encoded":true}`,
		"no_path":     `{"httpMethod":"GET","requestContext":{}}`,
		"header_form": `{"version":"2.0","requestContext":{"http":{"method":"GET"}},"rawPath":"/","headers":{"a":["b"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := function.Invoke(t.Context(), []byte(event))
			assert.ErrorIs(t, err, gateway.ErrEvent)
		})
	}
}

// sent is an event, and the path and query that a handler sees of it.
type sent struct{ event, basePath, want string }

func sentRequests() map[string]sent {
	const apiDomain = `"requestContext":{"stage":"prod","domainName":"x.execute-api.eu-west-1.amazonaws.com","http":{"method":"GET"}}}`
	return map[string]sent{
		"stage_in_api_domain": {
			event: `{"version":"2.0","rawPath":"/prod/a",` + apiDomain,
			want:  "/a",
		},
		"decoded_by_http_api": {
			event: `{"version":"2.0","rawPath":"/prod/a b/c?d#e/50%/%41/é",` + apiDomain,
			want:  "/a%20b/c%3Fd%23e/50%25/%2541/%C3%A9",
		},
		"decoded_by_http_api_in_format_1": {
			event: `{"version":"1.0","path":"/a b/%41","httpMethod":"GET","requestContext":{}}`,
			want:  "/a%20b/%2541",
		},
		"as_sent_by_rest_api": {
			event: `{"path":"/a%2Fb/m%65","httpMethod":"GET","requestContext":{"stage":"prod"}}`,
			want:  "/a%2Fb/m%65",
		},
		"as_sent_by_function_url": {
			event: `{"version":"2.0","rawPath":"/a%2Fb/m%65","requestContext":{"domainName":"x.lambda-url.eu-west-1.on.aws","http":{"method":"GET"}}}`,
			want:  "/a%2Fb/m%65",
		},
		"not_sendable_from_rest_api": {
			event: `{"path":"/a b?c","httpMethod":"GET","requestContext":{}}`,
			want:  "/a%20b%3Fc",
		},
		"stage_alone": {
			event: `{"version":"2.0","rawPath":"/prod",` + apiDomain,
			want:  "/",
		},
		"no_stage_in_own_domain": {
			event: `{"version":"2.0","rawPath":"/prod/a","requestContext":{"stage":"prod","domainName":"api.example.com","http":{"method":"GET"}}}`,
			want:  "/prod/a",
		},
		"base_path": {
			event:    `{"path":"/accounts/a","httpMethod":"GET","requestContext":{"stage":"prod"}}`,
			basePath: "/accounts", want: "/a",
		},
		"base_path_is_whole_segments": {
			event:    `{"path":"/accountsx/a","httpMethod":"GET","requestContext":{}}`,
			basePath: "/accounts", want: "/accountsx/a",
		},
		"bad_escape": {
			event: `{"path":"/100%","httpMethod":"GET","requestContext":{}}`,
			want:  "/100%25",
		},
		"single_query": {
			event: `{"path":"/","httpMethod":"GET","queryStringParameters":{"q":"a b"},"requestContext":{}}`,
			want:  "/?q=a+b",
		},
		"raw_query": {
			event: `{"version":"2.0","rawPath":"/","rawQueryString":"q=a%20b&q=c","requestContext":{"http":{"method":"GET"}}}`,
			want:  "/?q=a%20b&q=c",
		},
		"two_slashes": {
			event: `{"path":"//evil.example/a","httpMethod":"GET","requestContext":{}}`,
			want:  "//evil.example/a",
		},
	}
}

// TestRequest is what a handler sees.
func TestRequest(t *testing.T) {
	t.Parallel()
	for name, test := range sentRequests() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.WriteString(w, r.RequestURI)
			})
			function, err := gateway.New(echo, gateway.Config{BasePath: test.basePath})
			require.NoError(t, err)
			answer, err := function.Invoke(t.Context(), []byte(test.event))
			require.NoError(t, err)
			var got struct{ Body string }
			require.NoError(t, json.Unmarshal(answer, &got))
			assert.Equal(t, test.want, got.Body)
		})
	}
}

// TestAnswers are in the form of the event's format: cookies, several values, bytes that are no text.
func TestAnswers(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Add("Vary", "Origin")
		w.Header().Add("Vary", "Accept")
		w.WriteHeader(http.StatusAccepted)
		w.Header().Set("Late", "1")
		w.WriteHeader(http.StatusTeapot)
		cookies := r.Header.Get("Cookie")
		_, _ = w.Write([]byte("\xff" + cookies + r.Host + r.RemoteAddr))
	})
	function, err := gateway.New(handler, gateway.Config{})
	require.NoError(t, err)
	for event, want := range map[string]string{
		`{"path":"/","httpMethod":"GET","multiValueHeaders":{"cookie":["x=1"],"host":["h"]},"requestContext":{"identity":{"sourceIp":"::1"}}}`: `{"statusCode":202,"multiValueHeaders":{"Content-Type":["text/plain; charset=utf-8"],"Set-Cookie":["a=1","b=2"],"Vary":["Origin","Accept"]},
		  "body":"/3g9MWhbOjoxXTow","isBase64Encoded":true}`,
		`{"version":"2.0","rawPath":"/","cookies":["x=1","y=2"],"headers":{"host":"h"},"requestContext":{"http":{"method":"GET","sourceIp":"::1"}}}`: `{"statusCode":202,"headers":{"Content-Type":"text/plain; charset=utf-8","Vary":"Origin, Accept"},"cookies":["a=1","b=2"],
		  "body":"/3g9MTsgeT0yaFs6OjFdOjA=","isBase64Encoded":true}`,
	} {
		got, err := function.Invoke(t.Context(), []byte(event))
		require.NoError(t, err)
		assert.JSONEq(t, want, string(got))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for want, try := range map[string]func() error{
		"handler": func() error { _, err := gateway.New(nil, gateway.Config{}); return err },
		"BasePath": func() error {
			_, err := gateway.New(http.NotFoundHandler(), gateway.Config{BasePath: "a/"})
			return err
		},
	} {
		assert.ErrorContains(t, try(), want)
	}
}
