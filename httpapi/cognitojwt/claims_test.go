package cognitojwt_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

func TestClaimsOfAnAccessToken(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	claims, err := v.Verify(t.Context(), current().sign(t, accessClaims(), nil))
	require.NoError(t, err)

	var further struct {
		Version int    `json:"version"`
		JTI     string `json:"jti"`
	}
	require.NoError(t, claims.Decode(&further))
	require.Equal(t, 2, further.Version)
	require.NotEmpty(t, further.JTI)

	want := cognitojwt.Claims{
		Issuer: issuer, Subject: sub, ClientID: client, TokenUse: cognitojwt.AccessToken, Username: "ada",
		Scopes: []string{"openid", "users/write"}, Groups: []string{"admins", "staff"},
		IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour),
	}
	require.EqualExportedValues(t, want, claims)
}

func TestClaimsOfAnIDToken(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{TokenUse: cognitojwt.IDToken, Now: at(epoch)}, fixedPool(t, current()))
	want := cognitojwt.Claims{
		Issuer: issuer, Subject: sub, ClientID: client, TokenUse: cognitojwt.IDToken, Username: "ada",
		Groups: []string{"staff"}, IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour),
	}
	for name, audience := range map[string]any{"string": client, "array": []string{"other", client}} {
		claims, err := v.Verify(t.Context(), current().sign(t, with(idClaims(), map[string]any{"aud": audience}), nil))
		require.NoError(t, err, name)
		require.EqualExportedValues(t, want, claims, name)
	}
}

func TestIDTokensAreRefusedForOtherClients(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{TokenUse: cognitojwt.IDToken, Now: at(epoch)}, fixedPool(t, current()))
	for _, c := range []struct {
		name   string
		claims jwt.MapClaims
		want   error
	}{
		{"access_token_for_id", accessClaims(), cognitojwt.ErrTokenUse},
		{"other_audience", with(idClaims(), map[string]any{"aud": "other"}), cognitojwt.ErrClient},
		{"no_audience", with(idClaims(), map[string]any{"aud": nil}), cognitojwt.ErrClient},
		{"empty_audience", with(idClaims(), map[string]any{"aud": []string{}}), cognitojwt.ErrClient},
		{"client_id_does_not_stand_in_for_aud", with(idClaims(), map[string]any{"aud": nil, "client_id": client}), cognitojwt.ErrClient},
		{"audience_of_numbers", with(idClaims(), map[string]any{"aud": []int{1}}), cognitojwt.ErrMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.ErrorIs(t, verifyError(t, v, current().sign(t, c.claims, nil)), c.want)
		})
	}
}

func TestRequiredScopesAndGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		scopes, groups []string
		want           error
	}{
		{"present", []string{"users/write", "openid"}, []string{"staff", "admins"}, nil},
		{"one_scope_missing", []string{"openid", "users/delete"}, nil, cognitojwt.ErrScope},
		{"part_of_a_scope", []string{"users"}, nil, cognitojwt.ErrScope},
		{"one_group_missing", nil, []string{"admins", "owners"}, cognitojwt.ErrGroup},
		{"group_in_another_case", nil, []string{"Admins"}, cognitojwt.ErrGroup},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config := cognitojwt.Config{RequiredScopes: c.scopes, RequiredGroups: c.groups, Now: at(epoch)}
			v := mustNew(t, config, fixedPool(t, current()))
			require.ErrorIs(t, verifyError(t, v, access(nil)(t)), c.want)
		})
	}
}

func TestNegativeLeewayMeansNone(t *testing.T) {
	t.Parallel()
	token := access(nil)(t)
	last := mustNew(t, cognitojwt.Config{Leeway: -1, Now: at(epoch.Add(time.Hour - time.Nanosecond))}, fixedPool(t, current()))
	require.NoError(t, verifyError(t, last, token))
	over := mustNew(t, cognitojwt.Config{Leeway: -1, Now: at(epoch.Add(time.Hour))}, fixedPool(t, current()))
	require.ErrorIs(t, verifyError(t, over, token), cognitojwt.ErrExpired)
}

func TestZeroClaimsDecodeNothing(t *testing.T) {
	t.Parallel()
	require.Error(t, cognitojwt.Claims{}.Decode(&struct{}{}))
}
