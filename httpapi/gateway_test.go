package httpapi_test

import (
	"maps"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

func TestGatewayClaims(t *testing.T) {
	t.Parallel()
	issued := time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)
	access := map[string]string{"sub": "abc-123", "token_use": "access", "client_id": "app", "iat": "1768473000"}
	id := map[string]string{"sub": "abc-123", "token_use": "id", "aud": "app", "iat": "Thu Jan 15 10:30:00 UTC 2026"}
	with := func(claims map[string]string, name, value string) map[string]string {
		changed := maps.Clone(claims)
		changed[name] = value
		return changed
	}
	for name, c := range map[string]struct {
		use    string
		claims map[string]string
		issued time.Time
		ok     bool
	}{
		"access":                   {"", access, issued, true},
		"id":                       {"id", id, issued, true},
		"no_iat":                   {"", with(access, "iat", ""), time.Time{}, true},
		"none":                     {"", nil, time.Time{}, false},
		"id_for_access":            {"", id, time.Time{}, false},
		"access_for_id":            {"id", access, time.Time{}, false},
		"other_client":             {"", with(access, "client_id", "other"), time.Time{}, false},
		"aud_does_not_count":       {"", with(with(access, "client_id", ""), "aud", "app"), time.Time{}, false},
		"client_id_does_not_count": {"id", with(with(id, "aud", ""), "client_id", "app"), time.Time{}, false},
		"no_sub":                   {"", with(access, "sub", ""), time.Time{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest("GET", "/v1/users/me", nil)
			if c.claims != nil {
				r = r.WithContext(httpapi.WithClaims(r.Context(), c.claims))
			}
			identity, err := httpapi.GatewayClaims{ClientIDs: []string{"app"}, TokenUse: c.use}.Authenticate(r)
			if !c.ok {
				require.ErrorIs(t, err, httpapi.ErrUnauthenticated)
				return
			}
			require.NoError(t, err)
			require.Equal(t, httpapi.Identity{UserID: "abc-123", IssuedAt: c.issued}, identity)
		})
	}
	r := httptest.NewRequest("GET", "/v1/users/me", nil)
	r = r.WithContext(httpapi.WithClaims(r.Context(), map[string]string{"sub": "abc-123", "token_use": "access"}))
	_, err := httpapi.GatewayClaims{}.Authenticate(r)
	require.ErrorIs(t, err, httpapi.ErrUnauthenticated, "without clients nobody gets in")
	_, err = httpapi.GatewayClaims{ClientIDs: []string{""}}.Authenticate(r)
	require.ErrorIs(t, err, httpapi.ErrUnauthenticated, "the list of a variable that is not set is no client")
	_, err = httpapi.GatewayClaims{ClientIDs: []string{"app"}, TokenUse: "refresh"}.Authenticate(r.WithContext(httpapi.WithClaims(r.Context(), access)))
	require.ErrorContains(t, err, "TokenUse")
	require.NotErrorIs(t, err, httpapi.ErrUnauthenticated, "it is a fault, and no client's")
}
