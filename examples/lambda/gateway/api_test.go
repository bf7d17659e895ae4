package gateway_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

const requestID = "req-1"

func fixedTime() time.Time { return time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC) }

// newAPI is the API on a new table with the users ada and bob. Tokens are user ids.
func newAPI(t testing.TB) *httpapi.Handler { return newAPIWith(t, bearer{}) }

func newAPIWith(t testing.TB, auth httpapi.Authenticator) *httpapi.Handler {
	t.Helper()
	client := memdynamo.New(memdynamo.Options{Now: fixedTime}).Client()
	_, err := client.CreateTable(t.Context(), userstore.TableDefinition("users"))
	require.NoError(t, err)
	accounts := userstore.Config{Table: "users", Now: fixedTime}
	users, err := userstore.New(client, accounts)
	require.NoError(t, err)
	for _, id := range []string{"ada", "bob"} {
		_, err = users.Create(t.Context(), userstore.NewUser{
			UserID: id, Email: id + "@example.com", EmailVerified: true, FirstName: "Ada", LastName: "Łovelace",
		})
		require.NoError(t, err)
	}
	secrets := []emails.Secret{{ID: "1", Key: []byte("0123456789abcdef0123456789abcdef")}}
	addresses, err := emails.New(client, noMail{}, secrets, emails.Config{Store: accounts})
	require.NoError(t, err)
	api, err := httpapi.New(users, addresses, auth, httpapi.Config{Now: fixedTime})
	require.NoError(t, err)
	return api
}

type noMail struct{}

func (noMail) Send(context.Context, emails.Message) error { return nil }

// bearer takes the token for the user id.
type bearer struct{}

func (bearer) Authenticate(r *http.Request) (httpapi.Identity, error) {
	id, has := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !has {
		return httpapi.Identity{}, httpapi.ErrUnauthenticated
	}
	return httpapi.Identity{UserID: id, IssuedAt: fixedTime()}, nil
}
