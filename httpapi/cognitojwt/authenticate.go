package cognitojwt

import (
	"net/http"
	"strings"

	"github.com/usercore-go/usercore/httpapi"
)

var _ httpapi.Authenticator = (*Verifier)(nil)

// Authenticate verifies the bearer token of a request (RFC 6750, section 2.1) and returns the subject of the token. The scheme is read
// in any case. A request with no Authorization header, more than one, or one of another form is ErrNoToken; tokens in the query or the
// body are never looked at. Errors and cost are those of Verify.
func (v *Verifier) Authenticate(r *http.Request) (httpapi.Identity, error) {
	token, ok := bearerToken(r.Header)
	if !ok {
		return httpapi.Identity{}, ErrNoToken
	}
	claims, err := v.Verify(r.Context(), token)
	if err != nil {
		return httpapi.Identity{}, err
	}
	return httpapi.Identity{UserID: claims.Subject, IssuedAt: claims.IssuedAt}, nil
}

// bearerToken returns what follows "Bearer" and its spaces. Two headers are refused rather than one of them chosen: a proxy in front
// may have judged the other.
func bearerToken(h http.Header) (string, bool) {
	values := h.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, rest, found := strings.Cut(values[0], " ")
	token := strings.Trim(rest, " ")
	return token, found && strings.EqualFold(scheme, "Bearer") && token != ""
}
