package cognitojwt_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/httpapi/cognitojwt"
)

// A verifier for one user pool is three lines; here a local issuer stands in for Cognito and publishes its key as Cognito does.
func Example() {
	signingKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		fmt.Println(err)
		return
	}
	publicKey, err := cognitojwt.NewJWK("key-1", &signingKey.PublicKey)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(cognitojwt.JWKS{Keys: []cognitojwt.JWK{publicKey}})
	}))
	defer server.Close()

	// With Cognito: cognitojwt.Pool{UserPoolID: "eu-west-1_AbCdEf123", ClientIDs: []string{"my-client"}}.
	verifier, err := cognitojwt.New([]cognitojwt.Pool{{Issuer: server.URL, ClientIDs: []string{"my-client"}}}, cognitojwt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}

	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{
		"iss": server.URL, "sub": "user-1", "client_id": "my-client", "token_use": "access", "exp": time.Now().Add(time.Hour).Unix(),
	})
	token.Header["kid"] = "key-1"
	text, err := token.SignedString(signingKey)
	if err != nil {
		fmt.Println(err)
		return
	}

	request := httptest.NewRequest(http.MethodGet, "/v1/users/me", nil)
	request.Header.Set("Authorization", "Bearer "+text)
	identity, err := verifier.Authenticate(request)
	fmt.Println(identity.UserID, err)

	request.Header.Set("Authorization", "Bearer "+text+"x")
	_, err = verifier.Authenticate(request)
	fmt.Println(errors.Is(err, httpapi.ErrUnauthenticated), err)
	// Output:
	// user-1 <nil>
	// true cognitojwt: token malformed: httpapi: unauthenticated
}
