package cognitojwt_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// TestCognitoKeySet reads a key set of the form that Cognito publishes and writes it back unchanged.
func TestCognitoKeySet(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/jwks.json")
	require.NoError(t, err)
	var set cognitojwt.JWKS
	require.NoError(t, json.Unmarshal(text, &set))
	mustNew(t, cognitojwt.Config{}, cognitojwt.Pool{UserPoolID: poolID, ClientIDs: []string{client}, Keys: set, KeysOnly: true})
	written, err := json.Marshal(set)
	require.NoError(t, err)
	require.JSONEq(t, string(text), string(written))
}

// TestKeySetIgnoresForeignKeys puts each unusable entry before the right one.
func TestKeySetIgnoresForeignKeys(t *testing.T) {
	t.Parallel()
	right := keySet(t, current()).Keys[0]
	entry := func(change func(*cognitojwt.JWK)) any {
		key := right
		key.KeyID = "foreign"
		change(&key)
		return key
	}
	for name, foreign := range map[string]any{
		"elliptic":       map[string]any{"kty": "EC", "kid": "foreign", "use": "sig", "crv": "P-256", "x": "AA", "y": "AA"},
		"not_an_object":  []int{1},
		"null":           nil,
		"kid_a_number":   map[string]any{"kty": "RSA", "kid": 7},
		"encryption":     entry(func(k *cognitojwt.JWK) { k.Use = "enc" }),
		"no_use":         entry(func(k *cognitojwt.JWK) { k.Use = "" }),
		"other_alg":      entry(func(k *cognitojwt.JWK) { k.Algorithm = "RS512" }),
		"small":          entry(func(k *cognitojwt.JWK) { k.Modulus = oddModulus(2047) }),
		"huge":           entry(func(k *cognitojwt.JWK) { k.Modulus = oddModulus(8193) }),
		"even_modulus":   entry(func(k *cognitojwt.JWK) { k.Modulus = integer(new(big.Int).Lsh(big.NewInt(1), 2047)) }),
		"no_modulus":     entry(func(k *cognitojwt.JWK) { k.Modulus = "" }),
		"modulus_padded": entry(func(k *cognitojwt.JWK) { k.Modulus += "==" }),
		"exponent_one":   entry(func(k *cognitojwt.JWK) { k.Exponent = "AQ" }),
		"exponent_even":  entry(func(k *cognitojwt.JWK) { k.Exponent = "BA" }),
		"exponent_huge":  entry(func(k *cognitojwt.JWK) { k.Exponent = "AQAAAAE" }),
		"exponent_text":  entry(func(k *cognitojwt.JWK) { k.Exponent = "65537!" }),
		"no_kid":         entry(func(k *cognitojwt.JWK) { k.KeyID = "" }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, err := json.Marshal(map[string]any{"keys": []any{foreign, right}})
			require.NoError(t, err)
			e := &endpoint{}
			e.answer(http.StatusOK, string(body))
			v := mustNew(t, cognitojwt.Config{HTTPClient: &http.Client{Transport: e}, Now: at(epoch)}, bubblePool())
			require.NoError(t, verifyError(t, v, access(nil)(t)))
			require.ErrorIs(t, verifyError(t, v, headed(map[string]any{"kid": "foreign"})(t)), cognitojwt.ErrUnknownKey)
		})
	}
}

// TestFirstOfTwoKeysWithOneKidCounts makes the verdict on a token independent of map order.
func TestFirstOfTwoKeysWithOneKidCounts(t *testing.T) {
	t.Parallel()
	v := mustNew(t, cognitojwt.Config{Now: at(epoch)}, fixedPool(t, current(), stranger()))
	require.NoError(t, verifyError(t, v, access(nil)(t)))
	require.ErrorIs(t, verifyError(t, v, stranger().sign(t, accessClaims(), nil)), cognitojwt.ErrSignature)
}

func TestKeyWithoutAlgorithmIsUsed(t *testing.T) {
	t.Parallel()
	pool := fixedPool(t, current())
	pool.Keys.Keys[0].Algorithm = ""
	require.NoError(t, verifyError(t, mustNew(t, cognitojwt.Config{Now: at(epoch)}, pool), access(nil)(t)))
}

func TestNewJWKRefusesWhatAVerifierIgnores(t *testing.T) {
	t.Parallel()
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		kid string
		key *rsa.PublicKey
	}{
		"nil":       {"kid", nil},
		"empty":     {"kid", &rsa.PublicKey{}},
		"zero":      {"kid", &rsa.PublicKey{N: new(big.Int), E: -1}},
		"small":     {"kid", &small.PublicKey},
		"no_kid":    {"", &current().key.PublicKey},
		"kid_space": {"a b", &current().key.PublicKey},
	} {
		_, err := cognitojwt.NewJWK(c.kid, c.key)
		require.Error(t, err, name)
	}
}

// oddModulus is a number of the given length that passes for a modulus.
func oddModulus(bits uint) string {
	n := new(big.Int).Lsh(big.NewInt(1), bits-1)
	return integer(n.SetBit(n, 0, 1))
}

func integer(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
