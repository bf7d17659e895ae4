package httpapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// outbox is a Sender that keeps the last code instead of mailing it.
type outbox struct{ code string }

func (o *outbox) Send(_ context.Context, m emails.Message) error {
	o.code = m.Code
	return nil
}

// everybodyIsJohn stands for the verifier of package cognitojwt.
type everybodyIsJohn struct{}

func (everybodyIsJohn) Authenticate(*http.Request) (httpapi.Identity, error) {
	return httpapi.Identity{UserID: "john"}, nil
}

func Example() {
	ctx := context.Background()
	client := memdynamo.New(memdynamo.Options{}).Client() // or dynamodb.NewFromConfig(awsConfig)
	if _, err := client.CreateTable(ctx, userstore.TableDefinition("users")); err != nil {
		log.Fatal(err)
	}

	store := userstore.Config{Table: "users"}
	users, err := userstore.New(client, store)
	if err != nil {
		log.Fatal(err)
	}
	mail := &outbox{}
	secrets := []emails.Secret{{ID: "2026-01", Key: []byte("32 random bytes from a key store")}}
	addresses, err := emails.New(client, mail, secrets, emails.Config{Store: store})
	if err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(users, addresses, everybodyIsJohn{}, httpapi.Config{})
	if err != nil {
		log.Fatal(err)
	}

	// What the sign-up trigger does.
	_, err = users.Create(ctx, userstore.NewUser{UserID: "john", Email: "john@example.com", EmailVerified: true})
	if err != nil {
		log.Fatal(err)
	}

	request := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	added := request("POST", "/v1/users/me/emails", `{"email":"john.work@example.com"}`)
	fmt.Println(added.Code, added.Header().Get("X-RateLimit-Remaining"), "codes left")

	address := added.Header().Get("Location")
	fmt.Println(request("PUT", address+"/primary", "").Code, "before it is verified")
	fmt.Println(request("POST", address+"/verify/confirm", `{"code":"`+mail.code+`"}`).Code)
	fmt.Println(request("PUT", address+"/primary", "").Code)
	// Output:
	// 201 2 codes left
	// 400 before it is verified
	// 200
	// 200
}
