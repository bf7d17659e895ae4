package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

type claimsKey struct{}

// WithClaims returns a context with the claims of a token that something in front of the Handler has verified already, as the
// authorizer of an API Gateway does. Only the code that receives the gateway's event may call it, never with anything that a
// client can send.
func WithClaims(ctx context.Context, claims map[string]string) context.Context {
	return context.WithValue(ctx, claimsKey{}, claims)
}

// GatewayClaims is an Authenticator that takes the claims of WithClaims: the gateway has verified the token, and it judges what
// gateways leave open. It sends nothing and is safe for concurrent use.
type GatewayClaims struct {
	// ClientIDs are the app clients whose tokens are taken; required. A gateway's own list of audiences does not cover access
	// tokens of a REST API.
	ClientIDs []string
	// TokenUse is the kind of token, "access" or "id"; default "access". With any other, every request is a fault (500).
	TokenUse string
}

// Authenticate returns who the claims speak for. It returns an error that wraps ErrUnauthenticated when there are none, and when
// they are of another kind of token or another client, or have no sub.
func (g GatewayClaims) Authenticate(r *http.Request) (Identity, error) {
	claims, _ := r.Context().Value(claimsKey{}).(map[string]string)
	use, client := cmp.Or(g.TokenUse, "access"), claims["client_id"]
	if use == "id" {
		client = claims["aud"]
	}
	switch {
	case use != "access" && use != "id":
		return Identity{}, fmt.Errorf("GatewayClaims.TokenUse is %q, not access or id", use)
	case claims == nil:
		return Identity{}, fmt.Errorf("%w: the gateway has handed over no claims", ErrUnauthenticated)
	case claims["token_use"] != use:
		return Identity{}, fmt.Errorf("%w: not a token of use %s", ErrUnauthenticated, use)
	case client == "" || !slices.Contains(g.ClientIDs, client):
		return Identity{}, fmt.Errorf("%w: a token of another client", ErrUnauthenticated)
	case claims["sub"] == "":
		return Identity{}, fmt.Errorf("%w: no sub", ErrUnauthenticated)
	}
	return Identity{UserID: claims["sub"], IssuedAt: issuedAt(claims["iat"])}, nil
}

// issuedAt reads iat as gateways write it: HTTP APIs as epoch seconds, REST APIs as a date. Anything else is zero, which counts
// as older than every cut-off.
func issuedAt(iat string) time.Time {
	if seconds, err := strconv.ParseInt(iat, 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC()
	}
	if t, err := time.Parse(time.UnixDate, iat); err == nil {
		return t.UTC()
	}
	return time.Time{}
}
