package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Identity is who a request speaks for. It comes from verified token claims only, never from a path, a query or a body.
type Identity struct {
	// UserID is the account's id: the sub claim of a Cognito token.
	UserID string
	// IssuedAt is when the token was issued (the iat claim); zero when the token does not say.
	IssuedAt time.Time
}

// Authenticator finds out who a request speaks for. Authenticate is called once for each request, concurrently.
// It returns an error that wraps ErrUnauthenticated when the request carries no valid credentials (answered with 401),
// an *UnavailableError when it cannot tell at the moment (503 with Retry-After), and any other error for a fault (500).
// The text of an error is logged and never sent to the client; it holds no token.
type Authenticator interface {
	Authenticate(r *http.Request) (Identity, error)
}

// ErrUnauthenticated says that a request carries no valid credentials.
var ErrUnauthenticated = errors.New("httpapi: unauthenticated")

// UnavailableError says that credentials cannot be judged at the moment, for instance because the signing keys cannot be read.
type UnavailableError struct {
	// RetryAfter is when another try makes sense.
	RetryAfter time.Duration
	// Err is the cause.
	Err error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("httpapi: authentication unavailable: %v", e.Err)
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
