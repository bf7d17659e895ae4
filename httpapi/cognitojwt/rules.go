package cognitojwt

import (
	"slices"
	"time"
)

// rules are the configured demands on a token whose signature is right.
type rules struct {
	use    TokenUse
	scopes []string
	groups []string
	leeway time.Duration
}

// judge returns what a claim set says when it is valid at now for one of the clients, and the reason when it is not. The reasons have a
// fixed precedence: time, use, client, subject, scopes, groups.
func (r rules) judge(set *claimSet, clients []string, now time.Time) (Claims, error) {
	if err := r.checkTime(set, now); err != nil {
		return Claims{}, err
	}
	if set.tokenUse != string(r.use) {
		return Claims{}, ErrTokenUse
	}
	client, ok := r.client(set, clients)
	switch {
	case !ok:
		return Claims{}, ErrClient
	case set.subject == "":
		return Claims{}, ErrNoSubject
	case !containsAll(set.scopes, r.scopes):
		return Claims{}, ErrScope
	case !containsAll(set.groups, r.groups):
		return Claims{}, ErrGroup
	}
	username := set.username
	if r.use == IDToken {
		username = set.cognitoUsername
	}
	return Claims{
		Issuer: set.issuer, Subject: set.subject, ClientID: client, TokenUse: r.use, Username: username,
		Scopes: set.scopes, Groups: set.groups, IssuedAt: set.issued, ExpiresAt: set.expires, payload: set.text,
	}, nil
}

// checkTime applies exp and nbf. A token is refused on its expiry and after (RFC 7519, section 4.1.4), and accepted on its nbf; the
// leeway moves both ends outward.
func (r rules) checkTime(set *claimSet, now time.Time) error {
	switch {
	case set.expires.IsZero():
		return ErrNoExpiry
	case !now.Before(set.expires.Add(r.leeway)):
		return ErrExpired
	case now.Before(set.notBefore.Add(-r.leeway)):
		return ErrNotYetValid
	}
	return nil
}

// client returns the configured client that the token was issued to. An access token names it in client_id; its aud, where there is
// one, is a resource server and no client.
func (r rules) client(set *claimSet, clients []string) (string, bool) {
	if r.use == AccessToken {
		return set.clientID, slices.Contains(clients, set.clientID)
	}
	for _, client := range set.audience {
		if slices.Contains(clients, client) {
			return client, true
		}
	}
	return "", false
}

func containsAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}
