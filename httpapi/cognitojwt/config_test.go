package cognitojwt_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

func TestNewNamesTheSettingItRefuses(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*cognitojwt.Config){
		"Config.TokenUse":           func(c *cognitojwt.Config) { c.TokenUse = "refresh" },
		"Config.RequiredScopes:":    func(c *cognitojwt.Config) { c.TokenUse, c.RequiredScopes = cognitojwt.IDToken, []string{"openid"} },
		"Config.RequiredScopes[1]":  func(c *cognitojwt.Config) { c.RequiredScopes = []string{"openid", "two words"} },
		"Config.RequiredScopes[0]":  func(c *cognitojwt.Config) { c.RequiredScopes = []string{""} },
		"Config.RequiredGroups[0]":  func(c *cognitojwt.Config) { c.RequiredGroups = []string{""} },
		"Config.Leeway":             func(c *cognitojwt.Config) { c.Leeway = 10*time.Minute + 1 },
		"Config.CacheTTL: must be":  func(c *cognitojwt.Config) { c.CacheTTL = -1 },
		"Config.CacheTTL":           func(c *cognitojwt.Config) { c.CacheTTL = time.Hour + 1 },
		"Config.FetchTimeout: must": func(c *cognitojwt.Config) { c.FetchTimeout = -1 },
		"Config.FetchTimeout":       func(c *cognitojwt.Config) { c.FetchTimeout = time.Minute + 1 },
		"Config.Cooldown: must be":  func(c *cognitojwt.Config) { c.Cooldown = time.Second - 1 },
		"Config.Cooldown":           func(c *cognitojwt.Config) { c.Cooldown = time.Hour + 1 },
		"Config.RefreshInterval":    func(c *cognitojwt.Config) { c.RefreshInterval = 9 * time.Second },
	} {
		var config cognitojwt.Config
		change(&config)
		v, err := cognitojwt.New([]cognitojwt.Pool{fixedPool(t, current())}, config)
		require.ErrorContains(t, err, want)
		require.Nil(t, v)
	}
}

func TestNewNamesThePoolItRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want   string
		change func(*cognitojwt.Pool)
	}{
		"no_issuer":          {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer = "" }},
		"two_issuers":        {"UserPoolID", func(p *cognitojwt.Pool) { p.UserPoolID = poolID }},
		"pool_id_no_region":  {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer, p.UserPoolID = "", "Example01" }},
		"pool_id_one_word":   {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer, p.UserPoolID = "", "local_1" }},
		"pool_id_a_host":     {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer, p.UserPoolID = "", "x.example/eu-west-1_A" }},
		"pool_id_a_path":     {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer, p.UserPoolID = "", "eu-west-1_A/../B" }},
		"pool_id_no_name":    {"UserPoolID", func(p *cognitojwt.Pool) { p.Issuer, p.UserPoolID = "", "eu-west-1_" }},
		"no_client":          {"ClientIDs", func(p *cognitojwt.Pool) { p.ClientIDs = nil }},
		"empty_client":       {"ClientIDs", func(p *cognitojwt.Pool) { p.ClientIDs = []string{client, ""} }},
		"no_key":             {"Keys", func(p *cognitojwt.Pool) { p.Keys.Keys = nil }},
		"no_usable_key":      {"Keys", func(p *cognitojwt.Pool) { p.KeysOnly, p.Keys.Keys = false, []cognitojwt.JWK{{}} }},
		"url_with_keys_only": {"JWKSURL", func(p *cognitojwt.Pool) { p.JWKSURL = issuer }},
		"url_not_a_url":      {"JWKSURL", func(p *cognitojwt.Pool) { p.KeysOnly, p.JWKSURL = false, ":" }},
		"url_relative":       {"JWKSURL", func(p *cognitojwt.Pool) { p.KeysOnly, p.JWKSURL = false, "/keys" }},
		"url_with_user":      {"JWKSURL", func(p *cognitojwt.Pool) { p.KeysOnly, p.JWKSURL = false, "https://a:b@example.com/" }},
		"url_http":           {"JWKSURL", func(p *cognitojwt.Pool) { p.KeysOnly, p.JWKSURL = false, "http://example.com/" }},
		"url_ftp":            {"JWKSURL", func(p *cognitojwt.Pool) { p.KeysOnly, p.AllowHTTP, p.JWKSURL = false, true, "ftp://example.com/" }},
		"issuer_not_a_url":   {"Issuer", func(p *cognitojwt.Pool) { p.KeysOnly, p.Issuer = false, "my-issuer" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			right, wrong := fixedPoolOf(t, "https://issuer.example", current()), fixedPool(t, current())
			c.change(&wrong)
			_, err := cognitojwt.New([]cognitojwt.Pool{right, wrong}, cognitojwt.Config{})
			require.ErrorContains(t, err, "pools[1]."+c.want+":")
		})
	}
}

func TestNewRefusesPoolsTogether(t *testing.T) {
	t.Parallel()
	_, err := cognitojwt.New(nil, cognitojwt.Config{Cooldown: -1, Leeway: time.Hour})
	for _, field := range []string{"pools:", "Config.Cooldown", "Config.Leeway"} {
		require.ErrorContains(t, err, field, "every bad field is named")
	}
	twin := cognitojwt.Pool{UserPoolID: poolID, ClientIDs: []string{client}}
	_, err = cognitojwt.New([]cognitojwt.Pool{twin, fixedPool(t, current())}, cognitojwt.Config{})
	require.ErrorContains(t, err, "pools[1].Issuer: another pool")
}

func TestNewDoesNotDial(t *testing.T) {
	t.Parallel()
	transport := roundTrip(func(*http.Request) (*http.Response, error) {
		t.Error("New made a request")
		return nil, errors.New("no network")
	})
	mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: transport}}, bubblePool())
}

func TestVerifierKeepsNoSliceOfTheCaller(t *testing.T) {
	t.Parallel()
	config := cognitojwt.Config{RequiredScopes: []string{"openid"}, RequiredGroups: []string{"staff"}, Now: at(epoch)}
	pool := fixedPool(t, current())
	v := mustNew(t, config, pool)
	config.RequiredScopes[0], config.RequiredGroups[0], pool.ClientIDs[0], pool.Keys.Keys[0] = "x", "x", "x", cognitojwt.JWK{}
	require.NoError(t, verifyError(t, v, access(nil)(t)))
}
