package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const (
	// tableName is the table of accounts, addresses and limits; outboxName that of the events that wait to be published.
	tableName  = "usercore"
	outboxName = "usercore-outbox"
	// requestTimeout is less than a stop waits for requests.
	requestTimeout = 5 * time.Second
)

// app is the service with local stand-ins for tokens, mail and the event bus.
type app struct {
	service
	cloud  *cloud
	issuer *issuer
	mail   *mailbox
	events *eventLog
}

// newApp makes the tables, unless they are there, and the service on them.
func newApp(ctx context.Context, cloud *cloud, keys keys, logger *slog.Logger) (*app, error) {
	client := cloud.client()
	accounts := userstore.TableDefinition(tableName)
	accounts.DeletionProtectionEnabled = aws.Bool(true) // as usercore-admin table check wants it
	if err := createTable(ctx, client, accounts); err != nil {
		return nil, err
	}
	if err := createTable(ctx, client, outboxDefinition()); err != nil {
		return nil, err
	}
	a, err := assemble(cloud, keys, httpapi.Config{Timeout: requestTimeout, Logger: logger})
	if err != nil {
		return nil, err
	}
	return a, a.fillPool(ctx)
}

// assemble puts the packages together. It makes no request.
func assemble(cloud *cloud, keys keys, config httpapi.Config) (*app, error) {
	client := cloud.client()
	measured, err := newMetrics()
	if err != nil {
		return nil, err
	}
	config.MeterProvider = measured.provider
	a := &app{
		service: service{client: client, table: tableName, logger: config.Logger, metrics: measured},
		cloud:   cloud, mail: newMailbox(time.Now), events: &eventLog{},
	}
	writer, err := a.addOutbox()
	if err != nil {
		return nil, err
	}
	accounts := userstore.Config{
		Table: tableName, Outbox: writer, Environment: "local", Logger: config.Logger, MeterProvider: measured.provider,
	}
	if a.users, err = userstore.New(client, accounts); err != nil {
		return nil, err
	}
	a.events.follower, err = cognitosync.New(cloud.pool.Client(), a.users, cognitosync.Config{
		UserPoolID: cognitotest.PoolID, Logger: config.Logger, MeterProvider: measured.provider,
	})
	if err != nil {
		return nil, err
	}
	secrets := []emails.Secret{{ID: "local", Key: keys.code}}
	addresses, err := emails.New(client, a.mail, secrets, emails.Config{Store: accounts})
	if err != nil {
		return nil, err
	}
	if a.issuer, err = newIssuer(keys.signing, time.Now); err != nil {
		return nil, err
	}
	tokens, err := a.issuer.verifier()
	if err != nil {
		return nil, err
	}
	if a.api, err = httpapi.New(a.users, addresses, tokens, config); err != nil {
		return nil, err
	}
	return a, nil
}

// addOutbox makes the writer of events and the relay that publishes them, which every commit wakes.
func (a *app) addOutbox() (*outbox.Writer, error) {
	where := outbox.Table{Name: outboxName}
	var err error
	a.relay, err = outbox.NewRelay(a.client, faultyPublisher{plan: a.cloud.faults, next: a.events}, outbox.RelayConfig{
		Table: where, LeaseDuration: leaseDuration, ShutdownTimeout: shutdownTimeout,
		Publishing: outbox.Publishing{Logger: a.logger, MeterProvider: a.metrics.provider},
	})
	if err != nil {
		return nil, err
	}
	a.outbox, err = outbox.NewAdmin(a.client, outbox.AdminConfig{Table: where, MeterProvider: a.metrics.provider})
	if err != nil {
		return nil, err
	}
	return outbox.NewWriter(outbox.WriterConfig{Table: where, Envelope: userstore.Envelope(), Wake: a.relay.Wake})
}

// outboxDefinition is a table with the keys that the outbox takes by default.
func outboxDefinition() *dynamodb.CreateTableInput {
	table := userstore.TableDefinition(outboxName)
	table.GlobalSecondaryIndexes = nil
	table.AttributeDefinitions = table.AttributeDefinitions[:len(table.KeySchema)]
	return table
}

// createTable creates a table with time to live switched on, unless it is there.
func createTable(ctx context.Context, client *dynamodb.Client, definition *dynamodb.CreateTableInput) error {
	var exists *types.ResourceInUseException
	_, err := client.CreateTable(ctx, definition)
	if errors.As(err, &exists) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating table %s: %w", aws.ToString(definition.TableName), err)
	}
	_, err = client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: definition.TableName,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{
			AttributeName: aws.String(userstore.TTLAttribute), Enabled: aws.Bool(true),
		},
	})
	if err != nil {
		return fmt.Errorf("switching time to live on: %w", err)
	}
	return nil
}

// handler is every path of the local mode.
func (a *app) handler() http.Handler {
	paths := a.paths()
	maps.Copy(paths, a.devPaths())
	return a.route(paths)
}

// devPaths are the paths that exist in the local mode only.
func (a *app) devPaths() map[string]methods {
	get := func(e endpoint) methods { return methods{api: a.api, get: e} }
	post := func(e endpoint) methods { return methods{api: a.api, post: e} }
	return map[string]methods{
		"/.well-known/jwks.json":        get(a.keySet),
		"/dev/users":                    post(a.createUser),
		"/dev/users/{userId}/suspend":   post(a.suspendUser),
		"/dev/users/{userId}/reinstate": post(a.reinstateUser),
		"/dev/tokens":                   post(a.issueToken),
		"/dev/mail":                     get(a.listMail),
		"/dev/events":                   get(a.listEvents),
		"/dev/audit":                    get(a.audit),
		"/dev/faults":                   {api: a.api, get: a.showFaults, post: a.plantFaults},
	}
}
