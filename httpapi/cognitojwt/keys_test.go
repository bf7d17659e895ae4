package cognitojwt_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// inBubble runs a test on the fake clock of a synctest bubble, which begins in 2000 and moves only when every goroutine waits. The
// bubble also fails when a goroutine is left at the end.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Parallel()
	current() // keys are made outside: the fake clock must not see how long that takes
	rotated()
	synctest.Test(t, test)
}

// bubblePool is the tests' pool, its keys at the default place.
func bubblePool() cognitojwt.Pool {
	return cognitojwt.Pool{UserPoolID: poolID, ClientIDs: []string{client}}
}

// fresh is a token of s that is valid for an hour from now on.
func fresh(t *testing.T, s signer, header map[string]any) string {
	t.Helper()
	return s.sign(t, with(accessClaims(), map[string]any{"exp": time.Now().Add(time.Hour).Unix()}), header)
}

// newBubble makes an endpoint with the current key and a verifier that reads it, without a cache, so that every call is a full
// verification.
func newBubble(t *testing.T) (*endpoint, *cognitojwt.Verifier) {
	t.Helper()
	e := &endpoint{}
	e.serve(t, current())
	return e, mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}, CacheSize: -1}, bubblePool())
}

func TestTokensFirstOnesShareOneFetch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.slow(time.Second)
		token := fresh(t, current(), nil)
		var group sync.WaitGroup
		var accepted atomic.Int64
		for range 100 {
			group.Go(func() {
				if _, err := v.Verify(t.Context(), token); err == nil {
					accepted.Add(1)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 100, accepted.Load())
		require.Equal(t, 1, e.count())
	})
}

func TestTokensUnknownKeyFlood(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		good := fresh(t, current(), nil)
		_, err := v.Verify(t.Context(), good)
		require.NoError(t, err)

		const rounds, perRound = 3, 200
		for round := range rounds {
			start := time.Now()
			var group sync.WaitGroup
			for i := range perRound {
				junk := fresh(t, current(), map[string]any{"kid": fmt.Sprintf("junk-%d-%d", round, i)})
				group.Go(func() {
					_, err := v.Verify(t.Context(), junk)
					if !errors.Is(err, cognitojwt.ErrUnknownKey) {
						t.Errorf("junk kid: %v", err)
					}
					if _, err := v.Verify(t.Context(), good); err != nil {
						t.Errorf("known kid: %v", err)
					}
				})
			}
			group.Wait()
			require.Zero(t, time.Since(start), "nobody waits")
			require.Equal(t, 1+round, e.count(), "one fetch for each cooldown")
			<-time.After(10 * time.Second)
		}
	})
}

func TestTokensRotation(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		old, next := fresh(t, current(), nil), fresh(t, rotated(), nil)
		require.NoError(t, verifyError(t, v, old))

		e.serve(t, current(), rotated())
		require.Equal(t, http.StatusUnauthorized, statusOf(verifyError(t, v, next)), "within the cooldown")
		<-time.After(10 * time.Second)
		require.NoError(t, verifyError(t, v, next), "the next fetch finds the new key")
		require.NoError(t, verifyError(t, v, old), "the old key is still published")
		require.Equal(t, 2, e.count())

		e.serve(t, rotated())
		<-time.After(10 * time.Second)
		require.NoError(t, v.Refresh(t.Context()))
		require.ErrorIs(t, verifyError(t, v, old), cognitojwt.ErrUnknownKey, "the old key was withdrawn")
		require.NoError(t, verifyError(t, v, next))
	})
}

// TestTokensJunkDoesNotDelayRotation sends a junk kid at the end of every cooldown: the fetch that it causes brings the new key too.
func TestTokensJunkDoesNotDelayRotation(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		junk := fresh(t, current(), map[string]any{"kid": "junk"})
		require.ErrorIs(t, verifyError(t, v, junk), cognitojwt.ErrUnknownKey)
		e.serve(t, current(), rotated())
		<-time.After(10 * time.Second)
		require.ErrorIs(t, verifyError(t, v, junk), cognitojwt.ErrUnknownKey)
		require.NoError(t, verifyError(t, v, fresh(t, rotated(), nil)))
		require.Equal(t, 2, e.count())
	})
}

func TestTokensKeySetDown(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.answer(http.StatusInternalServerError, "")
		token := fresh(t, current(), nil)

		requireUnavailable(t, verifyError(t, v, token), 10*time.Second)
		<-time.After(4 * time.Second)
		requireUnavailable(t, verifyError(t, v, token), 6*time.Second)
		require.Equal(t, 1, e.count(), "the cooldown holds after a failure too")

		e.serve(t, current())
		<-time.After(6 * time.Second)
		require.NoError(t, verifyError(t, v, token))

		e.answer(http.StatusServiceUnavailable, "")
		<-time.After(10 * time.Second)
		requireUnavailable(t, verifyError(t, v, fresh(t, rotated(), nil)), 10*time.Second)
		require.NoError(t, verifyError(t, v, token), "old keys still serve")
	})
}

func TestTokensKeySetHangs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.slow(time.Hour)
		start := time.Now()
		requireUnavailable(t, verifyError(t, v, fresh(t, current(), nil)), 10*time.Second)
		require.Equal(t, 3*time.Second, time.Since(start), "the fetch has its own deadline")
	})
}

func TestTokensUnusableKeySetReplacesNothing(t *testing.T) {
	for name, body := range map[string]string{
		"empty": `{"keys":[]}`, "no_json": `<html>`, "foreign": `{"keys":[{"kty":"EC","kid":"k","use":"sig"}]}`, "null": `null`,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				e, v := newBubble(t)
				token := fresh(t, current(), nil)
				require.NoError(t, verifyError(t, v, token))
				e.answer(http.StatusOK, body)
				<-time.After(10 * time.Second)
				requireUnavailable(t, verifyError(t, v, fresh(t, rotated(), nil)), 10*time.Second)
				require.NoError(t, verifyError(t, v, token))
			})
		})
	}
}

// TestTokensCallerLeaves ends the context of the request that caused the fetch: it returns at once, and the fetch serves the others.
func TestTokensCallerLeaves(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		e.slow(2 * time.Second)
		token := fresh(t, current(), nil)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := v.Verify(ctx, token)
		requireUnavailable(t, err, time.Second)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(start))

		require.NoError(t, verifyError(t, v, token))
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, 1, e.count())
	})
}

func TestTokensPreloadedKeys(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e := &endpoint{}
		e.serve(t, rotated())
		pool := bubblePool()
		pool.Keys = keySet(t, current())
		v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}}, pool)
		old := fresh(t, current(), nil)
		require.NoError(t, verifyError(t, v, old))
		require.Zero(t, e.count(), "a preloaded key needs no request")

		require.NoError(t, verifyError(t, v, fresh(t, rotated(), nil)))
		require.Equal(t, 1, e.count())
		require.ErrorIs(t, verifyError(t, v, old), cognitojwt.ErrUnknownKey, "the set that was read replaces preloaded keys")
	})
}

// TestTokensIssuerChoosesTheKeys has two pools that publish different keys under one kid.
func TestTokensIssuerChoosesTheKeys(t *testing.T) {
	t.Parallel()
	other := fixedPoolOf(t, "https://issuer.example", stranger())
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()), other)

	require.NoError(t, verifyError(t, v, current().sign(t, accessClaims(), nil)))
	theirs := with(accessClaims(), map[string]any{"iss": other.Issuer})
	require.NoError(t, verifyError(t, v, stranger().sign(t, theirs, nil)))
	require.ErrorIs(t, verifyError(t, v, current().sign(t, theirs, nil)), cognitojwt.ErrSignature)
	require.ErrorIs(t, verifyError(t, v, stranger().sign(t, accessClaims(), nil)), cognitojwt.ErrSignature)
}

func TestTokensUnknownIssuerFetchesNothing(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		e, v := newBubble(t)
		token := current().sign(t, with(accessClaims(), map[string]any{"iss": "https://attacker.example"}), nil)
		require.ErrorIs(t, verifyError(t, v, token), cognitojwt.ErrIssuer)
		require.Zero(t, e.count())
	})
}

func verifyError(t *testing.T, v *cognitojwt.Verifier, token string) error {
	t.Helper()
	_, err := v.Verify(t.Context(), token)
	return err
}

func requireUnavailable(t *testing.T, err error, retryAfter time.Duration) {
	t.Helper()
	var unavailable *httpapi.UnavailableError
	require.ErrorAs(t, err, &unavailable)
	require.NotErrorIs(t, err, httpapi.ErrUnauthenticated)
	require.Equal(t, http.StatusServiceUnavailable, statusOf(err))
	require.Equal(t, retryAfter, unavailable.RetryAfter)
}
