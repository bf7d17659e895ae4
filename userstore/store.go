package userstore

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
)

// Client is the part of *dynamodb.Client that the package calls. Keep the SDK's retries on: they resend a request
// whose reply was lost under the same idempotency token.
type Client interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Config describes a table of accounts and the rules for it. Give the same value to every package that works on the
// table.
type Config struct {
	// Table is the name or ARN of the table; required. See TableDefinition.
	Table string
	// MaxEmails is how many addresses an account may have: 1 to 30, default 5.
	MaxEmails int
	// ClaimLease is how long an unverified address is kept for its account before another one may take it over: whole
	// seconds, default 24 h.
	ClaimLease time.Duration
	// Retention is how long a deleted account can be restored, and cannot be purged: whole seconds, default 30 days.
	Retention time.Duration
	// GmailRules makes one address of all spellings that Gmail delivers alike (dots and +tags at gmail.com and
	// googlemail.com). Off by default. Do not switch it on or off while a table is in use.
	GmailRules bool
	// Outbox stores the events of every change in its transaction, for a relay to publish; make it with Envelope(). Without one
	// no events are written: an account's seq moves all the same, so an outbox that is added later starts in the middle.
	Outbox *outbox.Writer
	// Environment is the deployment's name in the metadata of events, as in "production": at most 256 bytes.
	Environment string
	// Now is the clock, default time.Now.
	Now func() time.Time
	// Logger takes one record for each operation of userstore and emails, as docs/observability.md lists them: Debug for a success, Info
	// for a refusal, Warn for what may pass, Error for ErrCorrupt and what is unknown. By default nothing is logged.
	Logger *slog.Logger
	// TracerProvider and MeterProvider take the spans and metrics of docs/observability.md. By default there are none: the global
	// providers of OpenTelemetry are never used, so name them here if you mean them.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Store keeps the accounts of one table. It is safe for concurrent use and holds no state of its own.
type Store struct{ kernel *account.Kernel }

// New returns a Store. It checks cfg and does no I/O.
func New(client Client, cfg Config) (*Store, error) {
	kernel, err := account.New(client, account.Config(cfg), outcomes()...)
	if err != nil {
		return nil, fmt.Errorf("userstore: %w", err)
	}
	return &Store{kernel: kernel}, nil
}

// Envelope is the form of the events of this package and of package emails, for outbox.WriterConfig and the publisher: the
// account's id stands in them as userId.
func Envelope() outbox.Envelope { return outbox.Envelope{AggregateField: "userId"} }

// TTLAttribute is the attribute to name in UpdateTimeToLive. The table is right without it, but expired items stay.
const TTLAttribute = table.TTL

// TableDefinition is the table that the package needs, as CreateTable wants it: keys PK and SK, index GSI1 with
// projection KEYS_ONLY, billed on demand. Change what does not concern keys and index as you like.
func TableDefinition(name string) *dynamodb.CreateTableInput { return table.Definition(name) }
