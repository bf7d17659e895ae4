package cognitojwt

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Pool is an issuer whose tokens are accepted: a Cognito user pool, or a stand-in for one. Either UserPoolID or Issuer is set.
type Pool struct {
	// UserPoolID is a Cognito user pool's id, such as "eu-west-1_AbCdEf123". It stands for the issuer
	// https://cognito-idp.{region}.amazonaws.com/{id}, in the China regions below amazonaws.com.cn.
	UserPoolID string
	// Issuer is the exact value of the tokens' iss claim, for pools with another issuer URL and for other issuers.
	Issuer string
	// ClientIDs are the app clients whose tokens are accepted; at least one.
	ClientIDs []string
	// JWKSURL is where the key set is read. Default the issuer and "/.well-known/jwks.json". It must be https, or http on a loopback
	// address.
	JWKSURL string
	// AllowHTTP permits a JWKSURL with http on any host. Whoever can change an answer on the way can then sign in as anybody: for test
	// set-ups only.
	AllowHTTP bool
	// Keys are known before the first read of the key set, which then replaces them: with them a cold start needs no request. Keys that
	// a verifier does not use are ignored as in a set that was read. Default none.
	Keys JWKS
	// KeysOnly means that Keys are all and no key set is ever read.
	KeysOnly bool
}

// build checks the pool and makes its running form. An error's text begins with the name of the field.
func (p Pool) build(c Config) (issuer string, built *pool, err error) {
	if issuer, err = p.issuer(); err != nil {
		return "", nil, err
	}
	if len(p.ClientIDs) == 0 || slices.Contains(p.ClientIDs, "") {
		return "", nil, refuse("ClientIDs", "at least one is needed and none may be empty")
	}
	keys, _ := p.Keys.usable()
	if len(keys) == 0 && (p.KeysOnly || len(p.Keys.Keys) > 0) {
		return "", nil, refuse("Keys", "no usable key")
	}
	keySetURL, err := p.keySetURL(issuer)
	if err != nil {
		return "", nil, err
	}
	source := &keySource{
		issuer: issuer, url: keySetURL, client: sameHostOnly(c.HTTPClient),
		timeout: c.FetchTimeout, cooldown: c.Cooldown, now: c.Now, log: c.Logger,
	}
	source.keys.Store(&keys)
	return issuer, &pool{clients: slices.Clone(p.ClientIDs), source: source}, nil
}

// userPoolID matches a user pool's id, which begins with its region. It also keeps dots and slashes out of the issuer made from it.
var userPoolID = regexp.MustCompile(`^([a-z]+(?:-[a-z]+)+-[0-9]+)_[0-9A-Za-z]+$`)

func (p Pool) issuer() (string, error) {
	switch {
	case (p.UserPoolID == "") == (p.Issuer == ""):
		return "", refuse("UserPoolID", "exactly one of UserPoolID and Issuer is needed")
	case p.Issuer != "":
		return p.Issuer, nil
	}
	id := userPoolID.FindStringSubmatch(p.UserPoolID)
	if id == nil {
		return "", refuse("UserPoolID", `must be a region, "_" and letters or digits`)
	}
	region := id[1]
	domain := "amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		domain = "amazonaws.com.cn"
	}
	return "https://cognito-idp." + region + "." + domain + "/" + p.UserPoolID, nil
}

// keySetURL returns where the key set is read; empty when it never is.
func (p Pool) keySetURL(issuer string) (string, error) {
	if p.KeysOnly {
		if p.JWKSURL != "" {
			return "", refuse("JWKSURL", "must be empty with KeysOnly")
		}
		return "", nil
	}
	text, field := p.JWKSURL, "JWKSURL"
	if text == "" {
		text, field = strings.TrimSuffix(issuer, "/")+"/.well-known/jwks.json", "Issuer"
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return "", refuse(field, "must be an absolute URL without user and fragment")
	case u.Scheme == "https", u.Scheme == "http" && (p.AllowHTTP || isLoopback(u.Hostname())):
		return text, nil
	}
	return "", refuse(field, "must be https")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
