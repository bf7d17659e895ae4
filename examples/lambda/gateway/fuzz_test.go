package gateway_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/examples/lambda/gateway"
)

// FuzzEvents: whatever a payload is, the function refuses it with ErrEvent, or answers it as the API answers a client: never with a 5xx, and with
// what the gateway can send on.
func FuzzEvents(f *testing.F) {
	for _, shape := range []string{"rest", "http", "url"} {
		payload, err := os.ReadFile(filepath.Join("testdata", shape+".json"))
		require.NoError(f, err)
		f.Add(payload)
	}
	for _, payload := range []string{
		``, `null`, `[]`, `{"requestContext":null}`,
		`{"version":"2.0","rawPath":"%zz","requestContext":{"http":{"method":"GET"}}}`,
		`{"version":"2.0","rawPath":"/v1/users/me","requestContext":{"http":{"method":"PUT"}},"body":"***","isBase64Encoded":true}`,
		`{"version":"2.0","rawPath":"/v1/users/me","requestContext":{"http":{"method":"G T"}}}`,
		`{"httpMethod":"GET","path":"/v1/users/me","requestContext":{},"multiValueHeaders":{"Authorization":["Bearer ada","Bearer bob"]}}`,
		`{"httpMethod":"GET","path":"no slash","requestContext":{},"multiValueQueryStringParameters":{"a":["%","&"]}}`,
		`{"httpMethod":"POST","path":"/v1/users/me/emails","requestContext":{},"headers":{"a b":"c\nd"},"body":"{}"}`,
	} {
		f.Add([]byte(payload))
	}
	api := newAPI(f)
	f.Fuzz(func(t *testing.T, payload []byte) {
		function, err := gateway.New(api, gateway.Config{})
		require.NoError(t, err)
		answer, err := function.Invoke(t.Context(), payload)
		if err != nil {
			require.ErrorIs(t, err, gateway.ErrEvent)
			require.Empty(t, answer)
			return
		}
		var out struct {
			StatusCode      int
			Body            string
			IsBase64Encoded bool
		}
		require.NoError(t, json.Unmarshal(answer, &out))
		require.GreaterOrEqual(t, out.StatusCode, 200)
		require.Less(t, out.StatusCode, 500, "%s", answer)
	})
}
