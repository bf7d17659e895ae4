package cognitojwt

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

// TokenUse is a kind of Cognito token, as its token_use claim names it.
type TokenUse string

const (
	// AccessToken authorises calls to an API; the right kind for a resource server.
	AccessToken TokenUse = "access"
	// IDToken describes the user to the client that signed them in.
	IDToken TokenUse = "id"
)

// Config holds a Verifier's settings. The zero value is ready for use. New refuses a value out of range; it corrects none.
type Config struct {
	// TokenUse is the kind of token that is accepted. Default AccessToken.
	TokenUse TokenUse
	// RequiredScopes must all be in the token's scope; a token that lacks one is refused like any other (401). Default none. Not with
	// IDToken, which has no scopes.
	RequiredScopes []string
	// RequiredGroups must all be in the token's cognito:groups. Default none.
	RequiredGroups []string
	// Leeway is how far the clocks of issuer and verifier may differ when exp and nbf are checked. Default 60 s, at most 10 min; a
	// negative value means none.
	Leeway time.Duration

	// CacheSize is how many verified tokens are remembered, at about 2 KB each. Default 4096; a negative value switches the cache off.
	CacheSize int
	// CacheTTL is how long a verified token is remembered, if it does not expire sooner. Default 5 min, at most 1 h.
	CacheTTL time.Duration

	// HTTPClient reads the key sets. Default a client with Go's default transport. The Verifier uses a copy that does not follow
	// redirects to another host or scheme.
	HTTPClient *http.Client
	// FetchTimeout bounds one read of a key set, and so the wait of a request that needs it. Default 3 s, at most 1 min.
	FetchTimeout time.Duration
	// Cooldown is the least time between two reads of one pool's key set, after a success as after a failure. In it an unknown kid is
	// answered at once. Default 10 s, 1 s to 1 h.
	Cooldown time.Duration
	// RefreshInterval is the time between two reads by Run. Default 1 h; at least Cooldown.
	RefreshInterval time.Duration

	// Now is the clock for expiry, cooldown and cache. Default time.Now. It is called concurrently.
	Now func() time.Time
	// Logger gets a record for every read of a key set. Default none. No record holds a token.
	Logger *slog.Logger
}

// New returns a verifier for tokens of the given pools; at least one is needed, and no two may have the same issuer. It checks the
// whole configuration and returns an error that names every field it refuses. It makes no request and starts no goroutine.
func New(pools []Pool, config Config) (*Verifier, error) {
	c := config.withDefaults()
	errs := c.check()
	if len(pools) == 0 {
		errs = append(errs, refuse("pools", "at least one is needed"))
	}
	v := &Verifier{
		pools:   make(map[string]*pool, len(pools)),
		rules:   rules{use: c.TokenUse, scopes: c.RequiredScopes, groups: c.RequiredGroups, leeway: max(c.Leeway, 0)},
		refresh: c.RefreshInterval,
		now:     c.Now,
	}
	for i, p := range pools {
		issuer, built, err := p.build(c)
		if err == nil && v.pools[issuer] != nil {
			err = refuse("Issuer", "another pool has the same one")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("pools[%d].%w", i, err))
			continue
		}
		v.pools[issuer] = built
	}
	if len(errs) == 0 && c.CacheSize > 0 {
		var err error
		if v.verified, err = newVerifiedTokens(c.CacheSize, c.CacheTTL); err != nil {
			errs = append(errs, fmt.Errorf("Config.CacheSize: %w", err))
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("cognitojwt: New: %w", errors.Join(errs...))
	}
	return v, nil
}

func (c Config) withDefaults() Config {
	c.TokenUse = cmp.Or(c.TokenUse, AccessToken)
	c.RequiredScopes, c.RequiredGroups = slices.Clone(c.RequiredScopes), slices.Clone(c.RequiredGroups)
	c.Leeway = cmp.Or(c.Leeway, time.Minute)
	c.CacheSize = cmp.Or(c.CacheSize, 4096)
	c.CacheTTL = cmp.Or(c.CacheTTL, 5*time.Minute)
	c.FetchTimeout = cmp.Or(c.FetchTimeout, 3*time.Second)
	c.Cooldown = cmp.Or(c.Cooldown, 10*time.Second)
	c.RefreshInterval = cmp.Or(c.RefreshInterval, time.Hour)
	if c.HTTPClient == nil {
		c.HTTPClient = &http.Client{}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// check returns an error for each field that is out of range; defaults are in place.
func (c Config) check() (errs []error) {
	demand := func(right bool, field, rule string) {
		if !right {
			errs = append(errs, refuse("Config."+field, rule))
		}
	}
	demand(c.TokenUse == AccessToken || c.TokenUse == IDToken, "TokenUse", `must be "access" or "id"`)
	demand(c.TokenUse == AccessToken || len(c.RequiredScopes) == 0, "RequiredScopes", "must be empty for id tokens, which have no scopes")
	for i, scope := range c.RequiredScopes {
		demand(scope != "" && !strings.ContainsAny(scope, " \t\r\n"), fmt.Sprintf("RequiredScopes[%d]", i), "must be one word")
	}
	for i, group := range c.RequiredGroups {
		demand(group != "", fmt.Sprintf("RequiredGroups[%d]", i), "must not be empty")
	}
	demand(c.Leeway <= 10*time.Minute, "Leeway", "must be at most 10 minutes")
	demand(c.CacheTTL > 0 && c.CacheTTL <= time.Hour, "CacheTTL", "must be positive and at most an hour")
	demand(c.FetchTimeout > 0 && c.FetchTimeout <= time.Minute, "FetchTimeout", "must be positive and at most a minute")
	demand(c.Cooldown >= time.Second && c.Cooldown <= time.Hour, "Cooldown", "must be from a second to an hour")
	demand(c.RefreshInterval >= c.Cooldown, "RefreshInterval", "must be at least Cooldown")
	return errs
}

// refuse is the error for a setting that breaks a rule.
func refuse(field, rule string) error { return fmt.Errorf("%s: %s", field, rule) }
