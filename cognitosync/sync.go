package cognitosync

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/userstore"
)

// Accounts is the life cycle of accounts; *userstore.Store is one. Every method may be called twice and concurrently.
type Accounts interface {
	Get(ctx context.Context, userID string) (*userstore.User, error)
	Suspend(ctx context.Context, userID, reason string, options ...userstore.Option) (*userstore.User, error)
	Reinstate(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)
	Delete(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)
	Restore(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)
}

// reader is what following an account needs of the table.
type reader interface {
	Get(ctx context.Context, userID string) (*userstore.User, error)
}

// Config configures a Syncer.
type Config struct {
	// UserPoolID is the pool whose users the accounts belong to; required.
	UserPoolID string
	// DeletePurged deletes the pool's user of a purged account, which frees the address in the pool; by default that user stays, disabled.
	DeletePurged bool
	// OnConflict, if set, is told of an account whose new primary address another user of the pool has: it is for a person to decide.
	// It may be called twice for one conflict. The conflict is logged in any case.
	OnConflict func(ctx context.Context, userID string)
	// Logger takes one record for each change of the pool; by default nothing is logged.
	Logger *slog.Logger
	// TracerProvider and MeterProvider take the spans and metrics of docs/observability.md; by default there are none, and the global
	// providers are never used.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Syncer makes the user pool follow the accounts. It is safe for concurrent use, in any number of processes.
type Syncer struct {
	pool  *userPool
	users Accounts
	cfg   Config
	log   *slog.Logger

	signals signals
}

// New returns a Syncer, or an error that names the field that is wrong. It does no I/O.
func New(pool Pool, users Accounts, cfg Config) (*Syncer, error) {
	switch {
	case pool == nil || users == nil:
		return nil, badConfig("New: pool and users are required")
	case cfg.UserPoolID == "":
		return nil, badConfig("Config.UserPoolID is required")
	}
	signals, err := newSignals(cfg.TracerProvider, cfg.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &Syncer{
		pool:  &userPool{client: pool, id: cfg.UserPoolID, pace: directPacer()},
		users: users, cfg: cfg, log: loggerOf(cfg.Logger), signals: signals,
	}, nil
}
