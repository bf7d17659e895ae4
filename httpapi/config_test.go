package httpapi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	origins := func(origins ...string) httpapi.Config {
		return httpapi.Config{CORS: httpapi.CORS{AllowedOrigins: origins}}
	}
	for name, c := range map[string]struct {
		cfg   httpapi.Config
		field string
	}{
		"prefix_without_slash":    {httpapi.Config{Prefix: "v1"}, "Prefix"},
		"prefix_with_slash":       {httpapi.Config{Prefix: "/v1/"}, "Prefix"},
		"prefix_with_empty":       {httpapi.Config{Prefix: "//v1"}, "Prefix"},
		"prefix_with_dots":        {httpapi.Config{Prefix: "/a/../v1"}, "Prefix"},
		"prefix_with_dot_at_end":  {httpapi.Config{Prefix: "/a/."}, "Prefix"},
		"prefix_with_escape":      {httpapi.Config{Prefix: "/a%20b"}, "Prefix"},
		"prefix_with_placeholder": {httpapi.Config{Prefix: "/{emailId}"}, "Prefix"},
		"timeout":                 {httpapi.Config{Timeout: -1}, "Timeout"},
		"max_body_negative":       {httpapi.Config{MaxBody: -1}, "MaxBody"},
		"max_body_huge":           {httpapi.Config{MaxBody: 1<<20 + 1}, "MaxBody"},
		"status_check":            {httpapi.Config{StatusCheck: 7}, "StatusCheck"},
		"origin_empty":            {origins(""), "CORS.AllowedOrigins[0]"},
		"origin_null":             {origins("null"), "CORS.AllowedOrigins[0]"},
		"origin_without_scheme":   {origins("https://a.example", "app.example.com"), "CORS.AllowedOrigins[1]"},
		"origin_with_path":        {origins("https://app.example.com/"), "CORS.AllowedOrigins[0]"},
		"origin_in_upper_case":    {origins("https://App.example.com"), "CORS.AllowedOrigins[0]"},
		"origin_any_among_others": {origins("https://app.example.com", "*"), "CORS.AllowedOrigins[1]"},
		"max_age_negative":        {httpapi.Config{CORS: httpapi.CORS{MaxAge: -time.Second}}, "CORS.MaxAge"},
		"max_age_in_fractions":    {httpapi.Config{CORS: httpapi.CORS{MaxAge: time.Millisecond}}, "CORS.MaxAge"},
	} {
		_, err := httpapi.New(f.users, f.addresses, tokens{}, c.cfg)
		require.ErrorContains(t, err, "httpapi: Config."+c.field+" is", name)
	}
}

func TestCollaboratorsAreRequired(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := httpapi.New(nil, f.addresses, tokens{}, httpapi.Config{})
	require.ErrorContains(t, err, "users")
	_, err = httpapi.New(f.users, nil, tokens{}, httpapi.Config{})
	require.ErrorContains(t, err, "addresses")
	_, err = httpapi.New(f.users, f.addresses, nil, httpapi.Config{})
	require.ErrorContains(t, err, "auth")
}

func TestMaxBody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.rebuild(func(cfg *httpapi.Config) { cfg.MaxBody = 2 })
	require.Equal(t, 200, f.call("john", "PUT", "/v1/users/me", `{}`).status)
	require.Equal(t, 413, f.call("john", "PUT", "/v1/users/me", `{ }`).status)
}

func TestZeroConfig(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	handler, err := httpapi.New(f.users, f.addresses, tokens{}, httpapi.Config{})
	require.NoError(t, err)
	f.handler = handler
	require.Equal(t, 200, f.call("john", "GET", "/v1/users/me", "").status)
	require.Equal(t, httpapi.Writes, handler.StatusCheck())
}
