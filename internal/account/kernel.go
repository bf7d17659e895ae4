package account

import (
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/internal/address"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/outbox"
)

// Limits of Config and what its zero values mean.
const (
	DefaultMaxEmails  = 5
	HighestMaxEmails  = 30
	DefaultClaimLease = 24 * time.Hour
	DefaultRetention  = 30 * 24 * time.Hour
)

// Config is userstore.Config, field by field.
type Config struct {
	Table       string
	MaxEmails   int
	ClaimLease  time.Duration
	Retention   time.Duration
	GmailRules  bool
	Outbox      *outbox.Writer
	Environment string
	Now         func() time.Time
	Logger      *slog.Logger

	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Kernel runs operations on the accounts of one table.
type Kernel struct {
	Client      dynamo.Client
	Table       string
	MaxEmails   int64
	ClaimLease  time.Duration
	Retention   time.Duration
	Addresses   address.Rules
	outbox      *outbox.Writer
	environment string
	clock       func() time.Time
	recorder    *telemetry.Recorder
}

// New checks the configuration and fills in the defaults. It does no I/O. Extra are the names of errors that the calling package adds.
func New(client dynamo.Client, c Config, extra ...telemetry.Outcome) (*Kernel, error) {
	switch {
	case client == nil:
		return nil, fmt.Errorf("the client is nil")
	case c.Table == "":
		return nil, fmt.Errorf("Config.Table is empty")
	case c.MaxEmails < 0 || c.MaxEmails > HighestMaxEmails:
		return nil, fmt.Errorf("Config.MaxEmails is %d, not 1 to %d", c.MaxEmails, HighestMaxEmails)
	case c.ClaimLease < 0 || c.ClaimLease%time.Second != 0:
		return nil, fmt.Errorf("Config.ClaimLease is %v, not a positive number of whole seconds", c.ClaimLease)
	case c.Retention < 0 || c.Retention%time.Second != 0:
		return nil, fmt.Errorf("Config.Retention is %v, not a positive number of whole seconds", c.Retention)
	case !isMetadata(c.Environment):
		return nil, fmt.Errorf("Config.Environment is not UTF-8 of at most %d bytes", maxMetadata)
	}
	recorder, err := c.recorder(extra)
	if err != nil {
		return nil, err
	}
	k := &Kernel{
		Client:      client,
		Table:       c.Table,
		MaxEmails:   int64(orDefault(c.MaxEmails, DefaultMaxEmails)),
		ClaimLease:  orDefault(c.ClaimLease, DefaultClaimLease),
		Retention:   orDefault(c.Retention, DefaultRetention),
		Addresses:   address.Rules{Gmail: c.GmailRules},
		outbox:      c.Outbox,
		environment: c.Environment,
		clock:       c.Now,
		recorder:    recorder,
	}
	if k.clock == nil {
		k.clock = time.Now
	}
	return k, nil
}

func orDefault[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// Now is the time that an operation works with: UTC, in the whole milliseconds that are stored.
func (k *Kernel) Now() time.Time { return k.clock().UTC().Truncate(time.Millisecond) }
