package cognitojwt

import (
	"fmt"

	"github.com/usercore-go/usercore/httpapi"
)

// The reasons for which a request or a token is refused. Each wraps httpapi.ErrUnauthenticated, so an HTTP layer needs to know only
// that one; the reason is for logs and tests. None of the texts holds any part of the token.
var (
	// ErrNoToken says that the request has no Authorization header, several, or one that is not "Bearer" and a token.
	ErrNoToken = refusal("no single bearer token in the request")
	// ErrTooLong says that the token is longer than 8192 bytes.
	ErrTooLong = refusal("token too long")
	// ErrMalformed says that the token is not three parts of base64url with two JSON objects, or that a claim has the wrong type.
	ErrMalformed = refusal("token malformed")
	// ErrAlgorithm says that the header does not name RS256, or demands an extension (crit) that the verifier does not know.
	ErrAlgorithm = refusal("token algorithm is not RS256")
	// ErrKeyID says that the header's kid is absent or is not 1 to 64 characters of A-Z a-z 0-9 + / = _ -.
	ErrKeyID = refusal("token key id absent or malformed")
	// ErrIssuer says that iss is none of the configured pools.
	ErrIssuer = refusal("token issuer is not a configured pool")
	// ErrUnknownKey says that the pool's key set, as of its last fetch, has no key with the token's kid.
	ErrUnknownKey = refusal("token key is not in the pool's key set")
	// ErrSignature says that the signature is not that of the pool's key.
	ErrSignature = refusal("token signature is wrong")
	// ErrNoExpiry says that the token has no exp.
	ErrNoExpiry = refusal("token has no expiry")
	// ErrExpired says that exp plus the leeway has been reached.
	ErrExpired = refusal("token has expired")
	// ErrNotYetValid says that nbf minus the leeway lies ahead.
	ErrNotYetValid = refusal("token is not valid yet")
	// ErrTokenUse says that token_use is not the configured one, for instance an id token where access tokens are asked for.
	ErrTokenUse = refusal("token is of another use")
	// ErrClient says that client_id (access token) or aud (id token) is none of the pool's clients.
	ErrClient = refusal("token was issued to another client")
	// ErrNoSubject says that sub is absent or empty.
	ErrNoSubject = refusal("token has no subject")
	// ErrScope says that a required scope is missing.
	ErrScope = refusal("token lacks a required scope")
	// ErrGroup says that a required group is missing.
	ErrGroup = refusal("token lacks a required group")
)

func refusal(reason string) error {
	return fmt.Errorf("cognitojwt: %s: %w", reason, httpapi.ErrUnauthenticated)
}
