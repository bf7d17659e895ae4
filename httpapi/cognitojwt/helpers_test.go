package cognitojwt_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

const (
	issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Example01"
	poolID = "eu-west-1_Example01"
	client = "3n4b5urk1ft4fl3mg5e62d9ado"
	sub    = "a1b2c3d4-0000-4000-8000-00000000beef"
)

// epoch is the time at which the tests' tokens are issued and, unless a test says otherwise, verified.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// signer is a private key with the kid under which a pool publishes it.
type signer struct {
	kid string
	key *rsa.PrivateKey
}

// The keys are made once for the whole run: an RSA key takes longer than all that the tests do with it.
var (
	current  = sync.OnceValue(func() signer { return newSigner("current+key/0000000000000000000000000000000=") })
	rotated  = sync.OnceValue(func() signer { return newSigner("rotated+key/0000000000000000000000000000000=") })
	stranger = sync.OnceValue(func() signer { return newSigner("current+key/0000000000000000000000000000000=") })
)

func newSigner(kid string) signer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // crypto/rand never fails on a supported system
	}
	return signer{kid: kid, key: key}
}

// accessClaims are those of a Cognito access token that is valid at epoch for an hour.
func accessClaims() jwt.MapClaims {
	return jwt.MapClaims{
		"sub": sub, "iss": issuer, "client_id": client, "token_use": "access", "username": "ada",
		"scope": "openid users/write", "cognito:groups": []string{"admins", "staff"}, "version": 2,
		"origin_jti": "0d3d1c0e-6c0f-4b6c-9a35-6c1d2c3b4a5f", "jti": "5f1d3c0e-6c0f-4b6c-9a35-6c1d2c3b4a5f",
		"auth_time": epoch.Unix(), "iat": epoch.Unix(), "exp": epoch.Add(time.Hour).Unix(),
	}
}

// idClaims are those of a Cognito id token that is valid at epoch for an hour.
func idClaims() jwt.MapClaims {
	return jwt.MapClaims{
		"sub": sub, "iss": issuer, "aud": client, "token_use": "id", "cognito:username": "ada",
		"email": "ada@example.com", "email_verified": true, "cognito:groups": []string{"staff"},
		"auth_time": epoch.Unix(), "iat": epoch.Unix(), "exp": epoch.Add(time.Hour).Unix(),
	}
}

// with returns the claims with some set; nil removes one.
func with(claims jwt.MapClaims, changes map[string]any) jwt.MapClaims {
	for name, value := range changes {
		claims[name] = value
		if value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// sign makes a token with the signer's kid; header values override it, and nil removes one.
func (s signer) sign(t testing.TB, claims jwt.Claims, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = s.kid
	for name, value := range header {
		token.Header[name] = value
		if value == nil {
			delete(token.Header, name)
		}
	}
	text, err := token.SignedString(s.key)
	require.NoError(t, err)
	return text
}

// keySet is the document with the signers' public keys.
func keySet(t testing.TB, signers ...signer) cognitojwt.JWKS {
	t.Helper()
	var set cognitojwt.JWKS
	for _, s := range signers {
		key, err := cognitojwt.NewJWK(s.kid, &s.key.PublicKey)
		require.NoError(t, err)
		set.Keys = append(set.Keys, key)
	}
	return set
}

// fixedPool is the tests' pool with the signers' keys and no endpoint.
func fixedPool(t testing.TB, signers ...signer) cognitojwt.Pool {
	t.Helper()
	return cognitojwt.Pool{Issuer: issuer, ClientIDs: []string{client}, Keys: keySet(t, signers...), KeysOnly: true}
}

// endpoint serves a key set and counts how often it is read. It is an http.Handler for a real server, and an http.RoundTripper for
// tests in a synctest bubble, where a socket would hold the fake clock.
type endpoint struct {
	mu     sync.Mutex
	reads  int
	status int
	body   []byte
	delay  time.Duration
}

// serve sets the document that is answered from now on.
func (e *endpoint) serve(t testing.TB, signers ...signer) {
	t.Helper()
	body, err := json.Marshal(keySet(t, signers...))
	require.NoError(t, err)
	e.answer(http.StatusOK, string(body))
}

func (e *endpoint) answer(status int, body string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status, e.body = status, []byte(body)
}

// slow sets how long an answer takes.
func (e *endpoint) slow(delay time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.delay = delay
}

func (e *endpoint) count() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.reads
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	e.reads++
	status, body, delay := e.status, e.body, e.delay
	e.mu.Unlock()
	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-r.Context().Done():
			return
		}
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone away is no concern of the endpoint
}

func (e *endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return answer.Result(), nil
}

// at returns a clock that stands still.
func at(now time.Time) func() time.Time { return func() time.Time { return now } }

// mustNew makes a verifier whose configuration is right.
func mustNew(t testing.TB, config cognitojwt.Config, pools ...cognitojwt.Pool) *cognitojwt.Verifier {
	t.Helper()
	v, err := cognitojwt.New(pools, config)
	require.NoError(t, err)
	return v
}

// statusOf is the HTTP status that httpapi answers an Authenticator's outcome with.
func statusOf(err error) int {
	var unavailable *httpapi.UnavailableError
	switch {
	case err == nil:
		return http.StatusOK
	case errors.Is(err, httpapi.ErrUnauthenticated):
		return http.StatusUnauthorized
	case errors.As(err, &unavailable):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
