package deployment

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

// revocationInterval is how long a fleet-wide revocation may go unnoticed, as a cache of one number.
const revocationInterval = 10 * time.Second

// Service is the HTTP interface and what it stands on.
type Service struct {
	API      *httpapi.Handler
	Users    *userstore.Store
	DynamoDB *dynamodb.Client
	Table    string
}

// Service puts the HTTP interface together. Of cfg, the variables decide StatusCheck, TokensValidAfter, CORS, Logger and MeterProvider.
func (d *Deployment) Service(cfg httpapi.Config) (*Service, error) {
	accounts, err := d.Accounts()
	auth, authErr := d.authenticator()
	secrets := d.codeSecrets()
	limits := ratelimit.Table{Name: d.Text("USERCORE_RATELIMIT_TABLE", "")}
	sender := &mailer{client: sesv2.NewFromConfig(d.AWS), from: d.Required("USERCORE_MAIL_FROM"), logger: d.Logger}
	cfg.StatusCheck, cfg.Logger, cfg.MeterProvider = d.statusCheck(), d.Logger, d.Meters
	cfg.CORS.AllowedOrigins = d.List("USERCORE_CORS_ORIGINS")
	for _, err := range []error{d.Err(), err, authErr} {
		if err != nil {
			return nil, err
		}
	}
	s := &Service{DynamoDB: d.DynamoDB(), Table: accounts.Table}
	if s.Users, err = userstore.New(s.DynamoDB, accounts); err != nil {
		return nil, err
	}
	cfg.TokensValidAfter = s.Users.CachedTokensValidAfter(revocationInterval)
	addresses, err := emails.New(s.DynamoDB, sender, secrets, emails.Config{Store: accounts, Limits: limits})
	if err != nil {
		return nil, err
	}
	s.API, err = httpapi.New(s.Users, addresses, auth, cfg)
	return s, err
}
