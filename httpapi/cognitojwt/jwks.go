package cognitojwt

import (
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
)

const (
	minKeyBits = 2048
	// maxKeyBits keeps one verification cheap; crypto/tls draws the line at the same size.
	maxKeyBits = 8192
)

// JWKS is a JSON Web Key Set (RFC 7517): the document at an issuer's /.well-known/jwks.json. It is read with json.Unmarshal, for
// preloaded keys, and written with json.Marshal, by a service that signs its own tokens.
type JWKS struct {
	Keys []JWK `json:"keys"`
}

// JWK is one RSA public key of a JWKS. A verifier uses it only if it is a signature key (kty RSA, use sig, alg RS256 or absent) of 2048
// to 8192 bits with a kid of 1 to 64 characters of A-Z a-z 0-9 + / = _ -.
type JWK struct {
	KeyID     string `json:"kid"`
	KeyType   string `json:"kty"`
	Use       string `json:"use,omitempty"`
	Algorithm string `json:"alg,omitempty"`
	// Modulus is the big-endian modulus in base64url without padding.
	Modulus string `json:"n"`
	// Exponent is the big-endian public exponent in base64url without padding, "AQAB" for 65537.
	Exponent string `json:"e"`
}

// NewJWK describes a public key for a JWKS that this package's verifier accepts. It returns an error when keyID or the key is one that
// a verifier would ignore.
func NewJWK(keyID string, key *rsa.PublicKey) (JWK, error) {
	if key == nil || key.N == nil {
		return JWK{}, errors.New("cognitojwt: NewJWK: the key is nil")
	}
	jwk := JWK{
		KeyID: keyID, KeyType: "RSA", Use: "sig", Algorithm: "RS256",
		Modulus:  base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
		Exponent: base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	}
	if _, err := jwk.publicKey(); err != nil {
		return JWK{}, fmt.Errorf("cognitojwt: NewJWK: %w", err)
	}
	return jwk, nil
}

// UnmarshalJSON reads a key set. An entry that is not of JWK's shape becomes an empty JWK, which no verifier uses: one foreign key must
// not cost the others (RFC 7517, section 5).
func (s *JWKS) UnmarshalJSON(text []byte) error {
	var document struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	s.Keys = make([]JWK, len(document.Keys))
	for i, entry := range document.Keys {
		var key JWK
		if json.Unmarshal(entry, &key) == nil {
			s.Keys[i] = key
		}
	}
	return nil
}

// keySet maps a kid to its key. A set is never changed once it is in use.
type keySet map[string]*rsa.PublicKey

// usable returns the keys that can verify tokens, and how many others were left out. Of two entries with one kid the first counts.
func (s JWKS) usable() (set keySet, ignored int) {
	set = make(keySet, len(s.Keys))
	for _, jwk := range s.Keys {
		key, err := jwk.publicKey()
		if _, taken := set[jwk.KeyID]; err != nil || taken {
			ignored++
			continue
		}
		set[jwk.KeyID] = key
	}
	return set, ignored
}

// publicKey returns the key, or the reason why a verifier does not use it.
func (k JWK) publicKey() (*rsa.PublicKey, error) {
	switch {
	case !validKeyID(k.KeyID):
		return nil, errors.New("kid absent or malformed")
	case k.KeyType != "RSA", k.Use != "sig", k.Algorithm != "" && k.Algorithm != "RS256":
		return nil, errors.New("not an RSA signature key for RS256")
	}
	n, err := base64.RawURLEncoding.DecodeString(k.Modulus)
	if err != nil {
		return nil, errors.New("modulus is not base64url")
	}
	e, err := base64.RawURLEncoding.DecodeString(k.Exponent)
	if err != nil {
		return nil, errors.New("exponent is not base64url")
	}
	modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
	switch bits := modulus.BitLen(); {
	case bits < minKeyBits || bits > maxKeyBits || modulus.Bit(0) == 0:
		return nil, fmt.Errorf("modulus is not an odd number of %d to %d bits", minKeyBits, maxKeyBits)
	// crypto/rsa takes exponents up to 31 bits; an even one or 1 is no RSA exponent.
	case exponent.Cmp(big.NewInt(3)) < 0 || exponent.Cmp(big.NewInt(math.MaxInt32)) > 0 || exponent.Bit(0) == 0:
		return nil, errors.New("exponent is not an odd number of 3 to 2^31-1")
	}
	return &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}, nil
}
