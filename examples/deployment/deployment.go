package deployment

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"go.opentelemetry.io/otel/metric"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/eventbridgepub"
	"github.com/usercore-go/usercore/userstore"
)

// Deployment is what a program is built from. Its methods read the variables that they need; what is wrong with those shows in
// Environment.Err, and in the error if nothing can be made of them.
type Deployment struct {
	*Environment
	AWS    aws.Config
	Logger *slog.Logger
	// Meters, if set, takes the metrics of all that is built.
	Meters metric.MeterProvider
	// Wake, if set, is told of every commit of this program: Relay.Wake of a relay in the same process.
	Wake func(aggregateIDs ...string)
}

// Open reads the SDK's configuration, and later the variables through lookup, such as os.Getenv. It makes no request, unless the SDK's
// configuration itself says so.
func Open(ctx context.Context, lookup func(name string) string, logger *slog.Logger) (*Deployment, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading the AWS configuration: %w", err)
	}
	d := &Deployment{Environment: NewEnvironment(lookup), AWS: cfg, Logger: logger}
	if cfg.Region == "" {
		d.Refuse("AWS_REGION", "is not set")
	}
	return d, nil
}

// DynamoDB is a client of the region's DynamoDB.
func (d *Deployment) DynamoDB() *dynamodb.Client { return dynamodb.NewFromConfig(d.AWS) }

// Accounts describes the table of accounts, with the outbox for the events of changes.
func (d *Deployment) Accounts() (userstore.Config, error) {
	cfg := userstore.Config{
		Table:       d.Required("USERCORE_TABLE"),
		MaxEmails:   d.Int("USERCORE_MAX_EMAILS"),
		Retention:   d.Duration("USERCORE_RETENTION"),
		GmailRules:  d.Bool("USERCORE_GMAIL_RULES"),
		Environment: d.Text("USERCORE_ENVIRONMENT", ""),
		Logger:      d.Logger,

		MeterProvider: d.Meters,
	}
	if d.WithoutOutbox() {
		return cfg, d.Err()
	}
	table, shards := d.Outbox()
	if err := d.Err(); err != nil {
		return cfg, err
	}
	var err error
	cfg.Outbox, err = outbox.NewWriter(outbox.WriterConfig{Table: table, Shards: shards, Envelope: userstore.Envelope(), Wake: d.Wake})
	return cfg, err
}

// WithoutOutbox says whether the deployment has no events.
func (d *Deployment) WithoutOutbox() bool {
	const name = "USERCORE_NO_OUTBOX"
	without := d.Bool(name)
	for _, other := range []string{"USERCORE_OUTBOX_TABLE", "USERCORE_EVENT_BUS"} {
		if without && d.Text(other, "") != "" {
			d.Refuse(name, "contradicts %s", other)
		}
	}
	return without
}

// Users opens the accounts.
func (d *Deployment) Users() (*userstore.Store, error) {
	cfg, err := d.Accounts()
	if err != nil {
		return nil, err
	}
	return userstore.New(d.DynamoDB(), cfg)
}

// Outbox is where the outbox lies, and the number of its shards.
func (d *Deployment) Outbox() (outbox.Table, int) {
	table := outbox.Table{Name: d.Required("USERCORE_OUTBOX_TABLE"), KeyPrefix: d.Text("USERCORE_OUTBOX_PREFIX", "")}
	return table, d.Int("USERCORE_OUTBOX_SHARDS")
}

// Bus publishes to the event bus.
func (d *Deployment) Bus() (*eventbridgepub.Publisher, error) {
	bus := d.Required("USERCORE_EVENT_BUS")
	if err := d.Err(); err != nil {
		return nil, err
	}
	return eventbridgepub.New(eventbridge.NewFromConfig(d.AWS), eventbridgepub.Config{
		Bus: bus, Source: d.Text("USERCORE_SOURCE", "user-service"), Envelope: userstore.Envelope(),
	})
}
