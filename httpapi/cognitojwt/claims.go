package cognitojwt

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Claims is what a verified token says. Further claims, such as custom attributes, are read with Decode.
type Claims struct {
	// Issuer is the pool's issuer URL (iss).
	Issuer string
	// Subject is the user's id in the pool (sub); never empty.
	Subject string
	// ClientID is the app client that the token was issued to: client_id of an access token; of an id token's aud, the configured
	// client that it names.
	ClientID string
	// TokenUse is the configured kind of token.
	TokenUse TokenUse
	// Username is the pool's user name (username of an access token, cognito:username of an id token); empty when absent.
	Username string
	// Scopes are the words of scope; nil when absent. Id tokens have none.
	Scopes []string
	// Groups is cognito:groups; nil when absent.
	Groups []string
	// IssuedAt is iat; zero when it is absent or no time. It is never a reason to refuse a token.
	IssuedAt time.Time
	// ExpiresAt is exp, without leeway.
	ExpiresAt time.Time

	payload []byte
}

// Decode unmarshals the token's whole claim set into the value that into points to, by the rules of encoding/json. It works on the
// verified text and costs one JSON decoding. On the zero Claims it returns an error.
func (c Claims) Decode(into any) error {
	if err := json.Unmarshal(c.payload, into); err != nil {
		return fmt.Errorf("cognitojwt: decode claims: %w", err)
	}
	return nil
}

// clone returns claims that share no slice with c, apart from the payload, which nobody writes to.
func (c Claims) clone() Claims {
	c.Scopes, c.Groups = slices.Clone(c.Scopes), slices.Clone(c.Groups)
	return c
}

// claimSet is a token's payload as sent, before anything about it is believed.
type claimSet struct {
	issuer, subject, tokenUse string
	clientID                  string
	audience                  []string
	username, cognitoUsername string
	scopes, groups            []string
	expires, notBefore        time.Time // zero when absent
	issued                    time.Time
	text                      []byte
}

// parseClaims reads the claims that decide about a token. A claim of the wrong type is ErrMalformed. Of a repeated name the last
// counts (RFC 7519, section 4).
func parseClaims(text []byte) (claimSet, error) {
	set := claimSet{text: text}
	err := members(text, func(name, value []byte) error {
		if !set.read(name, value) {
			return ErrMalformed
		}
		return nil
	})
	return set, err
}

// read takes in one claim and tells whether its type is right; claims of other names are right whatever they hold.
func (s *claimSet) read(name, value []byte) (ok bool) {
	switch string(name) {
	case "iss":
		s.issuer, ok = jsonString(value)
	case "sub":
		s.subject, ok = jsonString(value)
	case "token_use":
		s.tokenUse, ok = jsonString(value)
	case "client_id":
		s.clientID, ok = jsonString(value)
	case "aud":
		s.audience, ok = oneOrMore(value)
	case "username":
		s.username, ok = jsonString(value)
	case "cognito:username":
		s.cognitoUsername, ok = jsonString(value)
	case "scope":
		var words string
		words, ok = jsonString(value)
		s.scopes = strings.Fields(words)
	case "cognito:groups":
		s.groups, ok = jsonStrings(value)
	case "exp":
		s.expires, ok = numericDate(value)
	case "nbf":
		s.notBefore, ok = numericDate(value)
	case "iat":
		s.issued, _ = numericDate(value)
		ok = true
	default:
		ok = true
	}
	return ok
}

// oneOrMore reads aud, which is one string or an array of strings (RFC 7519, section 4.1.3).
func oneOrMore(value []byte) ([]string, bool) {
	if s, ok := jsonString(value); ok {
		return []string{s}, true
	}
	return jsonStrings(value)
}

// maxNumericDate is the last second of the year 9999, the end of what RFC 3339 can write.
const maxNumericDate = 253402300799

// numericDate reads seconds since 1970, whole or with a fraction (RFC 7519, section 2). The time is zero unless it is ok.
func numericDate(value []byte) (time.Time, bool) {
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n >= 0 && n <= maxNumericDate {
		return time.Unix(n, 0).UTC(), true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f < 0 || f > maxNumericDate {
		return time.Time{}, false
	}
	whole, fraction := math.Modf(f)
	return time.Unix(int64(whole), int64(fraction*1e9)).UTC(), true
}
