package integration_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// issuer signs tokens and serves its keys.
type issuer struct {
	t   *testing.T
	key *rsa.PrivateKey
	url string
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	public, err := cognitojwt.NewJWK("key-1", &key.PublicKey)
	require.NoError(t, err)
	keys, err := json.Marshal(cognitojwt.JWKS{Keys: []cognitojwt.JWK{public}})
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(keys) }))
	t.Cleanup(server.Close)
	return &issuer{t: t, key: key, url: server.URL}
}

// token is an access token in Cognito's form.
func (i *issuer) token(userID string) string {
	i.t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": i.url, "sub": userID, "client_id": "web", "token_use": "access",
		"iat": time.Now().Unix() + 1, "exp": time.Now().Add(time.Hour).Unix(),
	})
	token.Header["kid"] = "key-1"
	signed, err := token.SignedString(i.key)
	require.NoError(i.t, err)
	return signed
}
