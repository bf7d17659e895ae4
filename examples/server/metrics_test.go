package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMetrics reads what the server measured of a sign-up and of a request without a token.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := start(t)
	newClient(t, s.api).newUser("ada@example.com")
	refused, err := http.Get(s.api + "/v1/users/me")
	require.NoError(t, err)
	require.NoError(t, refused.Body.Close())

	answer, err := http.Get(s.api + "/metrics")
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.True(t, strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain"))
	text := string(body)
	require.Contains(t, text, `usercore_operation_duration_seconds_count{operation="userstore.create",outcome="ok"} 1`)
	require.Contains(t, text, `http_server_request_duration_seconds_count{http_request_method="GET",http_response_status_code="401",http_route="/v1/users/me"} 1`)
	require.Contains(t, text, "go_goroutines ")
	require.NotContains(t, text, "example.com")
}
