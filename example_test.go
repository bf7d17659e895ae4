package usercore_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// quickStart is the quick start of the README.
func quickStart(ctx context.Context, client *dynamodb.Client, mailer emails.Sender, secret []byte) error {
	accounts := userstore.Config{Table: "users"}
	users, err := userstore.New(client, accounts)
	if err != nil {
		return err
	}
	secrets := []emails.Secret{{ID: "2026-01", Key: secret}} // 32 random bytes
	addresses, err := emails.New(client, mailer, secrets, emails.Config{Store: accounts})
	if err != nil {
		return err
	}

	dana, err := users.Create(ctx, userstore.NewUser{UserID: "abc-123", Email: "dana@example.com", EmailVerified: true})
	if err != nil {
		return err
	}
	work, err := addresses.Add(ctx, dana.UserID, "dana@work.example")
	switch {
	case errors.Is(err, emails.ErrTaken): // on some account already, this one perhaps
	case errors.Is(err, emails.ErrTooMany): // five are the most
	case err == nil: // a code is on its way; the user types it in
		_, err = addresses.Confirm(ctx, dana.UserID, work.EmailID, codeFromUser())
	}
	return err
}

func Example() {
	ctx := context.Background()
	client := memdynamo.New(memdynamo.Options{}).Client() // in production: dynamodb.NewFromConfig(cfg)
	if _, err := client.CreateTable(ctx, userstore.TableDefinition("users")); err != nil {
		log.Fatal(err)
	}
	if err := quickStart(ctx, client, mailer{}, make([]byte, 32)); err != nil {
		log.Fatal(err)
	}
	users, err := userstore.New(client, userstore.Config{Table: "users"})
	if err != nil {
		log.Fatal(err)
	}
	dana, err := users.GetByEmail(ctx, "Dana@Work.example")
	fmt.Println(dana.UserID, dana.Email, err)
	// Output: abc-123 dana@example.com <nil>
}

// mail is the last code that was sent.
var mail string

type mailer struct{}

func (mailer) Send(_ context.Context, m emails.Message) error { mail = m.Code; return nil }

func codeFromUser() string { return mail }
