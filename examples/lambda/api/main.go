package main

import (
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/examples/lambda/gateway"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/userstore"
)

// revocationInterval is how long a fleet-wide revocation may go unnoticed, as a cache of one number.
const revocationInterval = 10 * time.Second

func main() { function.Run(build) }

func build(d *function.Deployment) (lambda.Handler, error) {
	accounts, err := d.Accounts()
	auth, authErr := authenticator(d)
	secrets := codeSecrets(d)
	sender := &mailer{client: sesv2.NewFromConfig(d.AWS), from: d.Required("USERCORE_MAIL_FROM"), logger: d.Logger}
	statusCheck := statusCheckOf(d)
	for _, err := range []error{d.Err(), err, authErr} {
		if err != nil {
			return nil, err
		}
	}
	users, err := userstore.New(d.DynamoDB(), accounts)
	if err != nil {
		return nil, err
	}
	addresses, err := emails.New(d.DynamoDB(), sender, secrets, emails.Config{Store: accounts})
	if err != nil {
		return nil, err
	}
	api, err := httpapi.New(users, addresses, auth, httpapi.Config{
		StatusCheck: statusCheck, TokensValidAfter: users.CachedTokensValidAfter(revocationInterval), Logger: d.Logger,
	})
	if err != nil {
		return nil, err
	}
	return gateway.New(api, gateway.Config{BasePath: d.Text("USERCORE_BASE_PATH", "")})
}
