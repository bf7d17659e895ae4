package cognitojwt

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newCached returns a cache of two tokens for a minute, the keys that it asks, and a verdict with one of them that holds for an hour.
func newCached(t *testing.T) (cache *verifiedTokens, source *keySource, verdict verifiedToken, now time.Time) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, minKeyBits)
	require.NoError(t, err)
	source = &keySource{}
	source.keys.Store(&keySet{"k": &key.PublicKey})
	cache, err = newVerifiedTokens(2, time.Minute)
	require.NoError(t, err)
	now = time.Unix(1_000_000, 0)
	claims := Claims{Subject: "user", ExpiresAt: now.Add(time.Hour)}
	return cache, source, verifiedToken{claims: claims, source: source, keyID: "k", key: &key.PublicKey}, now
}

func hashOf(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }

func TestCacheTimeToLive(t *testing.T) {
	t.Parallel()
	cache, _, verdict, now := newCached(t)
	cache.add(hashOf("a"), verdict, now)
	_, found := cache.get(hashOf("a"), now.Add(time.Minute-1))
	require.True(t, found)
	_, found = cache.get(hashOf("a"), now.Add(time.Minute))
	require.False(t, found)
	require.Zero(t, cache.entries.Len(), "what is over is removed")
}

func TestCacheEndsAtExpiryWithoutLeeway(t *testing.T) {
	t.Parallel()
	cache, _, verdict, now := newCached(t)
	verdict.claims.ExpiresAt = now.Add(time.Second)
	cache.add(hashOf("a"), verdict, now)
	_, found := cache.get(hashOf("a"), now.Add(time.Second-1))
	require.True(t, found)
	_, found = cache.get(hashOf("a"), now.Add(time.Second))
	require.False(t, found)
	cache.add(hashOf("a"), verdict, now.Add(time.Second))
	require.Zero(t, cache.entries.Len(), "a token that lives on the leeway is not kept")
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	cache, _, verdict, now := newCached(t)
	for _, text := range []string{"a", "b", "c"} {
		cache.add(hashOf(text), verdict, now)
	}
	require.Equal(t, 2, cache.entries.Len())
	_, found := cache.get(hashOf("a"), now)
	require.False(t, found, "the oldest made room")
}

// TestCacheOutlivesARefresh reads the same keys again, as new values: a verdict stands as long as its key does, and no longer.
func TestCacheOutlivesARefresh(t *testing.T) {
	t.Parallel()
	cache, source, verdict, now := newCached(t)
	cache.add(hashOf("a"), verdict, now)
	again := *verdict.key
	source.replace(keySet{"k": &again})
	_, found := cache.get(hashOf("a"), now)
	require.True(t, found, "the key stays")

	other, err := rsa.GenerateKey(rand.Reader, minKeyBits)
	require.NoError(t, err)
	source.replace(keySet{"k": &other.PublicKey})
	_, found = cache.get(hashOf("a"), now)
	require.False(t, found, "another key under the same kid")
}
