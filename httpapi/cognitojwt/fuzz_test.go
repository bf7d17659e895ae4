package cognitojwt_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// FuzzVerify sends texts that nobody signed. The verifier's clock is a year past the seeds' expiry, so that no seed is right either:
// whatever comes, the answer is a refusal.
func FuzzVerify(f *testing.F) {
	right := current().sign(f, accessClaims(), nil)
	for _, seed := range []string{
		"", ".", "..", "...", right, right + ".", right[:len(right)-4],
		stranger().sign(f, accessClaims(), nil),
		current().sign(f, with(accessClaims(), map[string]any{"exp": nil}), nil),
		current().sign(f, with(idClaims(), nil), nil),
		current().sign(f, accessClaims(), map[string]any{"alg": "none", "crit": []string{"b64"}}),
		strings.Repeat("a.", 5000),
		encode(`{"alg":"RS256","kid":"`+current().kid+`"}`) + "." + encode(`{"iss":"`+issuer+`","exp":9e99}`) + ".AA",
	} {
		f.Add(seed)
	}
	v := mustNew(f, cognitojwt.Config{Now: at(epoch.AddDate(1, 0, 0).Add(time.Hour))}, fixedPool(f, current()))
	f.Fuzz(func(t *testing.T, token string) {
		claims, err := v.Verify(t.Context(), token)
		require.ErrorIs(t, err, httpapi.ErrUnauthenticated)
		require.Empty(t, claims)
		_, err = v.Authenticate(requestWith(token))
		require.ErrorIs(t, err, httpapi.ErrUnauthenticated)
	})
}
