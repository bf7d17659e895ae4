package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTokens asks for the profile with tokens that are right and wrong in one claim each.
func TestTokens(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	_, userID := c.newUser("ada@example.com")
	seconds := func(fromNow time.Duration) string { return strconv.FormatInt(time.Now().Add(fromNow).Unix(), 10) }
	cases := map[string]struct {
		members string // of the request, beside userId
		status  int
	}{
		"plain":                {``, 200},
		"expires_in":           {`"expiresIn":60`, 200},
		"no_overrides":         {`"claims":{}`, 200},
		"more_claims":          {`"claims":{"cognito:groups":["admins"],"n":1.5,"text":"<&>"}`, 200},
		"expired_within_grace": {`"expiresIn":-30`, 200},
		"issued_in_future":     {`"claims":{"iat":` + seconds(time.Hour) + `}`, 200},
		"no_issue_time":        {`"claims":{"iat":null}`, 200},
		"expires_at":           {`"claims":{"exp":` + seconds(time.Minute) + `}`, 200},

		"expired":          {`"expiresIn":-3600`, 401},
		"expired_by_claim": {`"claims":{"exp":` + seconds(-time.Hour) + `}`, 401},
		"no_expiry":        {`"claims":{"exp":null}`, 401},
		"expiry_is_text":   {`"claims":{"exp":"` + seconds(time.Hour) + `"}`, 401},
		"not_yet_valid":    {`"claims":{"nbf":` + seconds(time.Hour) + `}`, 401},
		"id_token":         {`"claims":{"token_use":"id","aud":"` + clientID + `"}`, 401},
		"no_use":           {`"claims":{"token_use":null}`, 401},
		"other_client":     {`"claims":{"client_id":"another"}`, 401},
		"no_client":        {`"claims":{"client_id":null}`, 401},
		"audience_only":    {`"claims":{"client_id":null,"aud":"` + clientID + `"}`, 401},
		"other_issuer":     {`"claims":{"iss":"https://issuer.example"}`, 401},
		"issuer_and_slash": {`"claims":{"iss":"` + issuerURL + `/"}`, 401},
		"no_issuer":        {`"claims":{"iss":null}`, 401},
		"no_subject":       {`"claims":{"sub":null}`, 401},
		"empty_subject":    {`"claims":{"sub":""}`, 401},
		"subject_number":   {`"claims":{"sub":7}`, 401},
		"too_long":         {`"claims":{"padding":"` + strings.Repeat("x", 8<<10) + `"}`, 401},

		"no_account":      {`"claims":{"sub":"nobody"}`, 404},
		"no_id":           {`"claims":{"sub":"no/id"}`, 404},
		"subject_too_big": {`"claims":{"sub":"` + strings.Repeat("x", 129) + `"}`, 404},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := c
			c.t = t
			body := `{"userId":"` + userID + `"`
			if tc.members != "" {
				body += "," + tc.members
			}
			token := c.expect(http.StatusOK, "POST", "/dev/tokens", body+"}").text("accessToken")
			c.with(token).expect(tc.status, "GET", "/v1/users/me", "")
		})
	}
}

// TestTokenForms sends what is no token of the issuer.
func TestTokenForms(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	other := newClient(t, start(t).api).expect(http.StatusOK, "POST", "/dev/tokens", `{"userId":"`+userID+`"}`).text("accessToken")
	parts := strings.Split(ada.token, ".")
	otherParts := strings.Split(other, ".")
	cases := map[string]string{
		"other_issuers_key":   other,
		"other_signature":     parts[0] + "." + parts[1] + "." + otherParts[2],
		"other_claims":        parts[0] + "." + otherParts[1] + "." + parts[2],
		"no_signature":        parts[0] + "." + parts[1] + ".",
		"algorithm_none":      "eyJhbGciOiJub25lIn0." + parts[1] + ".", // {"alg":"none"}
		"no_token":            "x",
		"one_part_more":       ada.token + ".x",
		"second_token_behind": ada.token + " " + ada.token,
	}
	for name, token := range cases {
		r := c.with(token).send("GET", "/v1/users/me", "")
		assert.Equal(t, http.StatusUnauthorized, r.status, name)
		assert.Equal(t, `Bearer error="invalid_token"`, r.header.Get("WWW-Authenticate"), name)
	}
	assert.Equal(t, "Bearer", c.expect(http.StatusUnauthorized, "GET", "/v1/users/me", "").header.Get("WWW-Authenticate"))
}

// TestTokenRequests asks for tokens that are not made.
func TestTokenRequests(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	cases := map[string]string{
		`{}`:                                     "userId",
		`{"userId":7}`:                           "userId",
		`{"userId":"a","expiresIn":"1h"}`:        "expiresIn",
		`{"userId":"a","expiresIn":1e10}`:        "expiresIn",
		`{"userId":"a","expiresIn":99999999999}`: "expiresIn",
		`{"userId":"a","claims":[]}`:             "claims",
	}
	for body, field := range cases {
		assert.Contains(t, c.expect(http.StatusBadRequest, "POST", "/dev/tokens", body).body, `"details":[{"field":"`+field+`"`)
	}
	token := c.expect(http.StatusOK, "POST", "/dev/tokens", `{"userId":"anybody at all"}`).text("accessToken")
	require.Len(t, strings.Split(token, "."), 3)
}
