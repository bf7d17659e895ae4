package cognitojwt

import (
	"encoding/base64"
	"strings"
)

const (
	// maxTokenBytes bounds the work that an unverified token can cause. Cognito's tokens are 1 to 2 KB; 8 KB is the usual limit of a
	// whole header line.
	maxTokenBytes = 8 << 10
	maxKeyIDBytes = 64
)

// segment decodes a part of a token. Strict refuses a second spelling of the same bytes.
var segment = base64.RawURLEncoding.Strict()

// unverified is a token taken apart; nothing in it can be believed before the signature is checked.
type unverified struct {
	signed    string // header and payload as sent, with the dot: what the signature covers
	keyID     string
	claims    claimSet
	signature []byte
}

// parse takes a token apart and checks its form: three parts, RS256, a kid that can be one.
func parse(token string) (unverified, error) {
	header, rest, _ := strings.Cut(token, ".")
	payload, signature, found := strings.Cut(rest, ".")
	// encoding/base64 skips line ends, and a signature that holds some would be a second spelling of the token.
	if !found || strings.Contains(signature, ".") || strings.IndexByte(token, '\n') >= 0 || strings.IndexByte(token, '\r') >= 0 {
		return unverified{}, ErrMalformed
	}
	var err error
	t := unverified{signed: token[:len(header)+1+len(payload)]}
	if t.keyID, err = parseHeader(header); err != nil {
		return unverified{}, err
	}
	text, err := segment.DecodeString(payload)
	if err != nil {
		return unverified{}, ErrMalformed
	}
	if t.claims, err = parseClaims(text); err != nil {
		return unverified{}, err
	}
	if t.signature, err = segment.DecodeString(signature); err != nil {
		return unverified{}, ErrMalformed
	}
	return t, nil
}

// parseHeader returns the kid. Everything else that a header can hold (typ, jku, jwk, x5u…) is ignored: keys come from the configured
// pool only. A crit member is refused, because it lists extensions that a verifier must know (RFC 7515, section 4.1.11).
func parseHeader(part string) (keyID string, err error) {
	text, err := segment.DecodeString(part)
	if err != nil {
		return "", ErrMalformed
	}
	var algorithm string
	var critical bool
	err = members(text, func(name, value []byte) error {
		switch string(name) {
		case "alg":
			algorithm, _ = jsonString(value)
		case "kid":
			keyID, _ = jsonString(value)
		case "crit":
			critical = true
		}
		return nil
	})
	switch {
	case err != nil:
		return "", err
	case algorithm != "RS256" || critical:
		return "", ErrAlgorithm
	case !validKeyID(keyID):
		return "", ErrKeyID
	}
	return keyID, nil
}

// validKeyID tells whether id is 1 to 64 characters of either base64 alphabet, padding included: Cognito's key ids are plain base64.
func validKeyID(id string) bool {
	if id == "" || len(id) > maxKeyIDBytes {
		return false
	}
	for i := range len(id) {
		switch b := id[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		case b == '+', b == '/', b == '=', b == '_', b == '-':
		default:
			return false
		}
	}
	return true
}
