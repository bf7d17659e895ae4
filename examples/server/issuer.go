package main

import (
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

const (
	// issuerURL is the iss of all tokens. It is no address to be reached: tokens stay valid wherever the next server listens.
	issuerURL = "https://issuer.usercore.invalid/local"
	clientID  = "usercore-local"
)

// issuer signs tokens in the form of a Cognito user pool's.
type issuer struct {
	key  *rsa.PrivateKey
	keys cognitojwt.JWKS
	now  func() time.Time
}

func newIssuer(key *rsa.PrivateKey, now func() time.Time) (*issuer, error) {
	// The id follows from the key, so a kept key keeps its id.
	hash := sha256.Sum256(key.N.Bytes())
	public, err := cognitojwt.NewJWK(base64.RawURLEncoding.EncodeToString(hash[:]), &key.PublicKey)
	if err != nil {
		return nil, err
	}
	return &issuer{key: key, keys: cognitojwt.JWKS{Keys: []cognitojwt.JWK{public}}, now: now}, nil
}

// verifier accepts the issuer's tokens. It knows the keys from the start and fetches none.
func (i *issuer) verifier() (*cognitojwt.Verifier, error) {
	pool := cognitojwt.Pool{Issuer: issuerURL, ClientIDs: []string{clientID}, Keys: i.keys, KeysOnly: true}
	return cognitojwt.New([]cognitojwt.Pool{pool}, cognitojwt.Config{Now: i.now})
}

// accessToken signs an access token for a user id. The overrides are set over the claims, whether the result is valid or not;
// one that is null leaves its claim out.
func (i *issuer) accessToken(userID string, lifetime time.Duration, overrides map[string]json.RawMessage) (string, error) {
	now := i.now()
	claims := jwt.MapClaims{
		"iss": issuerURL, "sub": userID, "username": userID, "client_id": clientID, "token_use": "access",
		"scope": "aws.cognito.signin.user.admin", "jti": uuid.NewString(),
		"auth_time": now.Unix(), "iat": now.Unix(), "exp": now.Add(lifetime).Unix(),
	}
	for name, value := range overrides {
		claims[name] = value
	}
	maps.DeleteFunc(claims, func(_ string, value any) bool {
		text, given := value.(json.RawMessage)
		return given && string(text) == "null"
	})
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = i.keys.Keys[0].KeyID
	signed, err := token.SignedString(i.key)
	if err != nil {
		return "", fmt.Errorf("signing a token: %w", err)
	}
	return signed, nil
}
