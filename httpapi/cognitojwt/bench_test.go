package cognitojwt_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// BenchmarkVerify compares, for tokens of Cognito's size: the bare RSA verification of the signature; a whole verification without a
// cache; one of a token that the cache does not have, which pays for the hash and the entry too; and the answer from the cache.
func BenchmarkVerify(b *testing.B) {
	token := current().sign(b, accessClaims(), nil)
	other := current().sign(b, with(accessClaims(), map[string]any{"username": "bob"}), nil)
	bare := bareVerify(b, token)
	whole := verifyFunc(b, cognitojwt.Config{Now: at(epoch), CacheSize: -1}, token)
	repeated := verifyFunc(b, cognitojwt.Config{Now: at(epoch)}, token)
	unseen := verifyFunc(b, cognitojwt.Config{Now: at(epoch), CacheSize: 1}, token, other)

	b.Run("bare_rsa", func(b *testing.B) { measure(b, bare) })
	b.Run("whole", func(b *testing.B) { measure(b, whole) })
	b.Run("new_to_cache", func(b *testing.B) { measure(b, unseen) })
	b.Run("repeated", func(b *testing.B) { measure(b, repeated) })
	b.Run("whole_to_bare", func(b *testing.B) { measureRatio(b, bare, whole) })
	b.Run("new_to_bare", func(b *testing.B) { measureRatio(b, bare, unseen) })
}

func measure(b *testing.B, f func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := f(); err != nil {
			b.Fatal(err)
		}
	}
}

// measureRatio reports the median of how many times longer second takes than first. The two run in turns, in pairs of short batches
// that change their order, so that a noisy neighbour or a changing clock rate meets both.
func measureRatio(b *testing.B, first, second func() error) {
	const batch = 20
	timed := func(f func() error) time.Duration {
		start := time.Now()
		for range batch {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
		return time.Since(start)
	}
	var ratios []float64
	for b.Loop() {
		var one, two time.Duration
		if len(ratios)%2 == 0 {
			one = timed(first)
			two = timed(second)
		} else {
			two = timed(second)
			one = timed(first)
		}
		ratios = append(ratios, float64(two)/float64(one))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(0, "ns/op") // a pair of batches: its time says nothing
}

// bareVerify is the least that a verification can cost: hash and signature, everything else prepared.
func bareVerify(b *testing.B, token string) func() error {
	end := strings.LastIndexByte(token, '.')
	signature, err := base64.RawURLEncoding.DecodeString(token[end+1:])
	require.NoError(b, err)
	signed := []byte(token[:end])
	return func() error {
		digest := sha256.Sum256(signed)
		return rsa.VerifyPKCS1v15(&current().key.PublicKey, crypto.SHA256, digest[:], signature)
	}
}

// verifyFunc returns a function that verifies the tokens in turn.
func verifyFunc(b *testing.B, config cognitojwt.Config, tokens ...string) func() error {
	v := mustNew(b, config, fixedPool(b, current()))
	next := 0
	return func() error {
		_, err := v.Verify(b.Context(), tokens[next])
		next = (next + 1) % len(tokens)
		return err
	}
}
