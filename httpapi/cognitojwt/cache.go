package cognitojwt

import (
	"crypto/rsa"
	"crypto/sha256"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// verifiedTokens remembers tokens that were verified, by their SHA-256 hash, so that no usable token lies in memory. Bounded: the least
// recently used one makes room.
type verifiedTokens struct {
	entries *lru.Cache[[sha256.Size]byte, verifiedToken]
	ttl     time.Duration
}

// verifiedToken is a verdict and what it rests on.
type verifiedToken struct {
	claims Claims
	until  time.Time
	source *keySource
	keyID  string
	key    *rsa.PublicKey
}

// newVerifiedTokens returns a cache for size tokens; size is at least 1.
func newVerifiedTokens(size int, ttl time.Duration) (*verifiedTokens, error) {
	entries, err := lru.New[[sha256.Size]byte, verifiedToken](size)
	if err != nil {
		return nil, err
	}
	return &verifiedTokens{entries: entries, ttl: ttl}, nil
}

// get returns the claims of a token that was verified and for which a full verification would say the same: it has not expired, and
// its key is still in the pool's set.
func (c *verifiedTokens) get(hash [sha256.Size]byte, now time.Time) (Claims, bool) {
	t, found := c.entries.Get(hash)
	if !found {
		return Claims{}, false
	}
	if !now.Before(t.until) || t.source.key(t.keyID) != t.key {
		c.entries.Remove(hash)
		return Claims{}, false
	}
	return t.claims.clone(), true
}

// add keeps a verdict of now until the token's expiry, without leeway, and for the cache's time to live at most.
func (c *verifiedTokens) add(hash [sha256.Size]byte, t verifiedToken, now time.Time) {
	t.until = now.Add(c.ttl)
	if t.claims.ExpiresAt.Before(t.until) {
		t.until = t.claims.ExpiresAt
	}
	if now.Before(t.until) {
		t.claims = t.claims.clone()
		c.entries.Add(hash, t)
	}
}
