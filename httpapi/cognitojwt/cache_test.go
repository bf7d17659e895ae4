package cognitojwt_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

func TestCacheEndsWithTheToken(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[time.Time]
	set := func(instant time.Time) { now.Store(&instant) }
	v := mustNew(t, cognitojwt.Config{Now: func() time.Time { return *now.Load() }, CacheTTL: time.Hour}, fixedPool(t, current()))
	token := access(map[string]any{"exp": epoch.Add(time.Minute).Unix()})(t)

	set(epoch)
	require.NoError(t, verifyError(t, v, token))
	set(epoch.Add(time.Minute + 59*time.Second))
	require.NoError(t, verifyError(t, v, token), "within the leeway")
	set(epoch.Add(2 * time.Minute))
	require.ErrorIs(t, verifyError(t, v, token), cognitojwt.ErrExpired)
	set(epoch)
	require.NoError(t, verifyError(t, v, token), "a refusal is not remembered")
}

func TestCacheEndsWithTheKey(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e := &endpoint{}
		e.serve(t, current(), rotated())
		v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}}, bubblePool())
		token, other := fresh(t, current(), nil), fresh(t, rotated(), nil)
		require.NoError(t, verifyError(t, v, token))
		require.NoError(t, verifyError(t, v, other))

		e.serve(t, rotated())
		<-time.After(10 * time.Second)
		require.NoError(t, v.Refresh(t.Context()))
		require.ErrorIs(t, verifyError(t, v, token), cognitojwt.ErrUnknownKey, "remembered, but its key was withdrawn")
		require.NoError(t, verifyError(t, v, other))
	})
}

func TestCacheHandsOutCopies(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	token := access(nil)(t)
	for range 3 {
		claims, err := v.Verify(t.Context(), token)
		require.NoError(t, err)
		require.Equal(t, []string{"admins", "staff"}, claims.Groups)
		require.Equal(t, []string{"openid", "users/write"}, claims.Scopes)
		claims.Groups[0], claims.Scopes[0] = "changed", "changed"
	}
}

// TestCacheSameVerdicts lets many goroutines send right and wrong tokens through a cache that is too small for them, and through none.
func TestCacheSameVerdicts(t *testing.T) {
	t.Parallel()
	tokens := make(map[string]bool)
	for i := range 8 {
		tokens[access(map[string]any{"jti": i})(t)] = true
		tokens[stranger().sign(t, with(accessClaims(), map[string]any{"jti": i}), nil)] = false
	}
	for name, size := range map[string]int{"one": 1, "few": 4, "off": -1} {
		v := mustNew(t, cognitojwt.Config{Now: at(epoch), CacheSize: size}, fixedPool(t, current()))
		var accepted atomic.Int64
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				for token, right := range tokens {
					claims, err := v.Verify(t.Context(), token)
					if (err == nil) != right || (claims.Subject == sub) != right {
						t.Errorf("cache %s: right %v, got %v", name, right, err)
					}
					if err == nil {
						accepted.Add(1)
					}
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 8*8, accepted.Load(), name)
	}
}
