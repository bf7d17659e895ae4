package cognitojwt_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// requestWith is a request with the given Authorization headers.
func requestWith(authorization ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/v1/users/me", nil)
	r.Header["Authorization"] = authorization
	return r
}

func TestAuthenticateReadsOneBearerHeader(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	token := access(nil)(t)
	for _, c := range []struct {
		name   string
		header []string
		want   error
	}{
		{"bearer", []string{"Bearer " + token}, nil},
		{"lower_case", []string{"bearer " + token}, nil},
		{"upper_case_and_spaces", []string{"BEARER   " + token}, nil},
		{"none", nil, cognitojwt.ErrNoToken},
		{"empty", []string{""}, cognitojwt.ErrNoToken},
		{"two", []string{"Bearer " + token, "Bearer " + token}, cognitojwt.ErrNoToken},
		{"two_in_one", []string{"Bearer " + token + ", Bearer " + token}, cognitojwt.ErrMalformed},
		{"scheme_only", []string{"Bearer"}, cognitojwt.ErrNoToken},
		{"scheme_and_space", []string{"Bearer "}, cognitojwt.ErrNoToken},
		{"token_only", []string{token}, cognitojwt.ErrNoToken},
		{"basic", []string{"Basic dTpw"}, cognitojwt.ErrNoToken},
		{"scheme_with_a_tab", []string{"Bearer\t" + token}, cognitojwt.ErrNoToken},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			identity, err := v.Authenticate(requestWith(c.header...))
			require.ErrorIs(t, err, c.want)
			if c.want == nil {
				require.Equal(t, httpapi.Identity{UserID: sub, IssuedAt: epoch}, identity)
			} else {
				require.ErrorIs(t, err, httpapi.ErrUnauthenticated)
			}
		})
	}
}

func TestAuthenticateIgnoresTokensElsewhere(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	r := httptest.NewRequest(http.MethodGet, "/v1/users/me?access_token="+access(nil)(t), nil)
	_, err := v.Authenticate(r)
	require.ErrorIs(t, err, cognitojwt.ErrNoToken)
}

func TestIdentityWithoutIssueTime(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	for name, iat := range map[string]any{"none": nil, "no_time": "now", "negative": -1, "beyond_all_calendars": int64(math.MaxInt64)} {
		identity, err := v.Authenticate(requestWith("Bearer " + access(map[string]any{"iat": iat})(t)))
		require.NoError(t, err, name)
		require.True(t, identity.IssuedAt.IsZero(), name)
	}
}
