package cognitojwt_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// tokenCase is a token and what a verifier of access tokens says about it.
type tokenCase struct {
	name  string
	token func(t *testing.T) string
	now   time.Time // default epoch
	want  error     // nil: accepted
}

// access is a token of the current key with some claims changed.
func access(changes map[string]any) func(*testing.T) string {
	return func(t *testing.T) string { return current().sign(t, with(accessClaims(), changes), nil) }
}

// headed is a token of the current key with a changed header.
func headed(header map[string]any) func(*testing.T) string {
	return func(t *testing.T) string { return current().sign(t, accessClaims(), header) }
}

func literal(token string) func(*testing.T) string { return func(*testing.T) string { return token } }

// rawPayload signs a payload as it is written, for claim sets that no encoder makes.
func rawPayload(payload string) func(*testing.T) string {
	return func(t *testing.T) string {
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"` + current().kid + `"}`))
		signed := header + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
		signature, err := jwt.SigningMethodRS256.Sign(signed, current().key)
		require.NoError(t, err)
		return signed + "." + base64.RawURLEncoding.EncodeToString(signature)
	}
}

// TestTokens holds one line for each way in which a token can be right or wrong.
func TestTokens(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current()))
	for _, cases := range [][]tokenCase{formCases, headerCases, originCases, timeCases, claimCases} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				v := v
				if !c.now.IsZero() {
					v = mustNew(t, cognitojwt.Config{Now: at(c.now)}, fixedPool(t, current()))
				}
				request := requestWith("Bearer " + c.token(t))
				identity, err := v.Authenticate(request)
				require.ErrorIs(t, err, c.want)
				if c.want == nil {
					require.Equal(t, http.StatusOK, statusOf(err))
					require.Equal(t, sub, identity.UserID)
					return
				}
				require.Equal(t, http.StatusUnauthorized, statusOf(err))
				require.Empty(t, identity)
				require.NotContains(t, err.Error(), c.token(t))
			})
		}
	}
}

var formCases = []tokenCase{
	{name: "right", token: access(nil)},
	{name: "nine_kilobytes", token: access(map[string]any{"padding": strings.Repeat("x", 6500)}), want: cognitojwt.ErrTooLong},
	{name: "just_below_eight_kilobytes", token: access(map[string]any{"padding": strings.Repeat("x", 5000)})},
	{name: "one_part", token: literal("abcdefgh"), want: cognitojwt.ErrMalformed},
	{name: "two_parts", token: cut(1), want: cognitojwt.ErrMalformed},
	{name: "four_parts", token: joined("."), want: cognitojwt.ErrMalformed},
	{name: "five_parts", token: joined(".e.e"), want: cognitojwt.ErrMalformed},
	{name: "only_dots", token: literal(".."), want: cognitojwt.ErrMalformed},
	{name: "no_signature", token: cut(0), want: cognitojwt.ErrSignature},
	{name: "padded_base64", token: joined("=="), want: cognitojwt.ErrMalformed},
	{name: "second_spelling_of_the_last_character", token: respelled, want: cognitojwt.ErrMalformed},
	{name: "line_end_in_the_signature", token: joined("\n"), want: cognitojwt.ErrMalformed},
	{name: "header_not_base64", token: literal("!.e30.e30"), want: cognitojwt.ErrMalformed},
	{name: "header_not_json", token: literal(encode("alg") + ".e30.e30"), want: cognitojwt.ErrMalformed},
	{name: "header_not_an_object", token: literal(encode("[]") + ".e30.e30"), want: cognitojwt.ErrMalformed},
	{name: "payload_not_base64", token: literal(encode(`{"alg":"RS256","kid":"k"}`) + ".!.e30"), want: cognitojwt.ErrMalformed},
	{name: "payload_not_json", token: rawPayload(`{"sub":`), want: cognitojwt.ErrMalformed},
	{name: "payload_null", token: rawPayload(`null`), want: cognitojwt.ErrMalformed},
	{name: "payload_with_trailing_data", token: rawPayload(`{} {}`), want: cognitojwt.ErrMalformed},
	{name: "payload_not_utf8", token: rawPayload("{\"sub\":\"\xff\"}"), want: cognitojwt.ErrMalformed},
}

func encode(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// joined is a right token with something behind it.
func joined(tail string) func(*testing.T) string {
	return func(t *testing.T) string { return access(nil)(t) + tail }
}

// cut is a right token without its last part, and with the dot removed too when dots is 1.
func cut(dots int) func(*testing.T) string {
	return func(t *testing.T) string {
		token := access(nil)(t)
		return token[:strings.LastIndexByte(token, '.')+1-dots]
	}
}

// respelled changes bits of the signature's last character that stand for nothing: 256 bytes are 341 characters and a third of one.
func respelled(t *testing.T) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	token := access(nil)(t)
	last := strings.IndexByte(alphabet, token[len(token)-1])
	return token[:len(token)-1] + string(alphabet[last|1])
}

var headerCases = []tokenCase{
	{name: "alg_none", token: algNone, want: cognitojwt.ErrAlgorithm},
	{name: "alg_none_with_a_right_signature", token: headed(map[string]any{"alg": "none"}), want: cognitojwt.ErrAlgorithm},
	{name: "alg_hs256_with_the_public_key", token: hs256, want: cognitojwt.ErrAlgorithm},
	{name: "alg_rs512", token: headed(map[string]any{"alg": "RS512"}), want: cognitojwt.ErrAlgorithm},
	{name: "alg_in_lower_case", token: headed(map[string]any{"alg": "rs256"}), want: cognitojwt.ErrAlgorithm},
	{name: "alg_under_another_case", token: headed(map[string]any{"alg": nil, "ALG": "RS256"}), want: cognitojwt.ErrAlgorithm},
	{name: "alg_a_number", token: headed(map[string]any{"alg": 256}), want: cognitojwt.ErrAlgorithm},
	{name: "crit", token: headed(map[string]any{"crit": []string{"exp"}}), want: cognitojwt.ErrAlgorithm},
	{name: "no_kid", token: headed(map[string]any{"kid": nil}), want: cognitojwt.ErrKeyID},
	{name: "empty_kid", token: headed(map[string]any{"kid": ""}), want: cognitojwt.ErrKeyID},
	{name: "kid_a_number", token: headed(map[string]any{"kid": 1}), want: cognitojwt.ErrKeyID},
	{name: "kid_of_65_characters", token: headed(map[string]any{"kid": strings.Repeat("k", 65)}), want: cognitojwt.ErrKeyID},
	{name: "kid_of_64_characters", token: headed(map[string]any{"kid": strings.Repeat("k", 64)}), want: cognitojwt.ErrUnknownKey},
	{name: "kid_a_path", token: headed(map[string]any{"kid": "../key"}), want: cognitojwt.ErrKeyID},
	{name: "no_typ", token: headed(map[string]any{"typ": nil})},
	{name: "foreign_typ", token: headed(map[string]any{"typ": "at+jwt"})},
	{name: "jku_ignored", token: headed(map[string]any{"jku": "https://attacker.example/jwks.json"})},
	{name: "jku_does_not_bring_a_key", token: func(t *testing.T) string {
		return stranger().sign(t, accessClaims(), map[string]any{"jku": "https://attacker.example/jwks.json"})
	}, want: cognitojwt.ErrSignature},
	{name: "jwk_does_not_bring_a_key", token: func(t *testing.T) string {
		return stranger().sign(t, accessClaims(), map[string]any{"jwk": keySet(t, stranger()).Keys[0]})
	}, want: cognitojwt.ErrSignature},
}

func algNone(t *testing.T) string {
	token := jwt.NewWithClaims(jwt.SigningMethodNone, accessClaims())
	token.Header["kid"] = current().kid
	text, err := token.SignedString(jwt.UnsafeAllowNoneSignatureType)
	require.NoError(t, err)
	return text
}

// hs256 is the classic confusion: the public key as the secret of a symmetric signature.
func hs256(t *testing.T) string {
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, accessClaims())
	token.Header["kid"] = current().kid
	text, err := token.SignedString(current().key.N.Bytes())
	require.NoError(t, err)
	return text
}

var originCases = []tokenCase{
	{name: "wrong_pool", token: access(map[string]any{"iss": issuer + "x"}), want: cognitojwt.ErrIssuer},
	{name: "issuer_with_a_slash", token: access(map[string]any{"iss": issuer + "/"}), want: cognitojwt.ErrIssuer},
	{name: "issuer_in_another_case", token: access(map[string]any{"iss": strings.ToUpper(issuer)}), want: cognitojwt.ErrIssuer},
	{name: "no_issuer", token: access(map[string]any{"iss": nil}), want: cognitojwt.ErrIssuer},
	{name: "issuer_an_array", token: access(map[string]any{"iss": []string{issuer}}), want: cognitojwt.ErrMalformed},
	{name: "unknown_kid", token: headed(map[string]any{"kid": "other"}), want: cognitojwt.ErrUnknownKey},
	{name: "key_of_another_pool_under_the_same_kid", token: func(t *testing.T) string {
		return stranger().sign(t, accessClaims(), nil)
	}, want: cognitojwt.ErrSignature},
	{name: "payload_of_another_token", token: func(t *testing.T) string {
		mine, theirs := strings.Split(access(nil)(t), "."), strings.Split(access(map[string]any{"sub": "other"})(t), ".")
		return mine[0] + "." + theirs[1] + "." + mine[2]
	}, want: cognitojwt.ErrSignature},
}

var timeCases = []tokenCase{
	{name: "expired_within_the_leeway", token: access(nil), now: epoch.Add(time.Hour + time.Minute - time.Nanosecond)},
	{name: "expired_at_the_end_of_the_leeway", token: access(nil), now: epoch.Add(time.Hour + time.Minute), want: cognitojwt.ErrExpired},
	{name: "not_yet_valid_at_the_edge_of_the_leeway", token: access(map[string]any{"nbf": epoch.Add(time.Minute).Unix()})},
	{name: "not_yet_valid_before_the_leeway", token: access(map[string]any{"nbf": epoch.Add(time.Minute).Unix()}),
		now: epoch.Add(-time.Nanosecond), want: cognitojwt.ErrNotYetValid},
	{name: "no_exp", token: access(map[string]any{"exp": nil}), want: cognitojwt.ErrNoExpiry},
	{name: "exp_zero", token: access(map[string]any{"exp": 0}), want: cognitojwt.ErrExpired},
	{name: "exp_under_another_case", token: access(map[string]any{"exp": nil, "EXP": epoch.Add(time.Hour).Unix()}),
		want: cognitojwt.ErrNoExpiry},
	{name: "exp_a_string", token: access(map[string]any{"exp": "1772370000"}), want: cognitojwt.ErrMalformed},
	{name: "exp_null", token: rawPayload(`{"exp":null}`), want: cognitojwt.ErrMalformed},
	{name: "exp_beyond_all_calendars", token: access(map[string]any{"exp": 1e300}), want: cognitojwt.ErrMalformed},
	{name: "exp_negative", token: access(map[string]any{"exp": -1}), want: cognitojwt.ErrMalformed},
	{name: "exp_with_a_fraction", token: access(map[string]any{"exp": float64(epoch.Unix()) + 0.5}),
		now: epoch.Add(time.Minute + 499*time.Millisecond)},
	{name: "exp_with_a_fraction_reached", token: access(map[string]any{"exp": float64(epoch.Unix()) + 0.5}),
		now: epoch.Add(time.Minute + 500*time.Millisecond), want: cognitojwt.ErrExpired},
	{name: "nbf_a_string", token: access(map[string]any{"nbf": "soon"}), want: cognitojwt.ErrMalformed},
	{name: "iat_in_the_future", token: access(map[string]any{"iat": epoch.Add(24 * time.Hour).Unix()})},
	{name: "iat_no_time", token: access(map[string]any{"iat": "yesterday"})},
	{name: "no_iat", token: access(map[string]any{"iat": nil})},
}

var claimCases = []tokenCase{
	{name: "id_token_for_access", token: func(t *testing.T) string { return current().sign(t, idClaims(), nil) },
		want: cognitojwt.ErrTokenUse},
	{name: "no_token_use", token: access(map[string]any{"token_use": nil}), want: cognitojwt.ErrTokenUse},
	{name: "wrong_client", token: access(map[string]any{"client_id": "other"}), want: cognitojwt.ErrClient},
	{name: "no_client", token: access(map[string]any{"client_id": nil}), want: cognitojwt.ErrClient},
	{name: "aud_does_not_stand_in_for_client_id", token: access(map[string]any{"client_id": nil, "aud": client}), want: cognitojwt.ErrClient},
	{name: "aud_of_a_resource_server", token: access(map[string]any{"aud": "https://api.example.com"})},
	{name: "no_sub", token: access(map[string]any{"sub": nil}), want: cognitojwt.ErrNoSubject},
	{name: "empty_sub", token: access(map[string]any{"sub": ""}), want: cognitojwt.ErrNoSubject},
	{name: "sub_a_number", token: access(map[string]any{"sub": 7}), want: cognitojwt.ErrMalformed},
	{name: "sub_under_another_case", token: access(map[string]any{"sub": nil, "SUB": sub}), want: cognitojwt.ErrNoSubject},
	{name: "custom_claim_does_not_shadow_sub", token: access(map[string]any{"Sub": "other", "custom:sub": "other"})},
	{name: "scope_an_array", token: access(map[string]any{"scope": []string{"openid"}}), want: cognitojwt.ErrMalformed},
	{name: "groups_a_string", token: access(map[string]any{"cognito:groups": "admins"}), want: cognitojwt.ErrMalformed},
	{name: "unknown_nested_claims", token: access(map[string]any{
		"address": map[string]any{"lines": []any{"}", `"`, map[string]any{"]": 1}}},
	})},
}
