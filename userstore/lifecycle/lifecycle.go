package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/sweep"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/userstore"
)

// ErrToken says that a token is none that a run gave.
var ErrToken = sweep.ErrToken

// Config says what to clean up and how.
type Config struct {
	// Store is the configuration that the services use, so that the events of what is removed go to their outbox.
	Store userstore.Config
	// UnverifiedLife is how long an address stays unverified after its lease has ended, before it is removed: whole seconds, default 30 days.
	// Until then its owner can still verify it, unless another account takes it over.
	UnverifiedLife time.Duration
	// DryRun only counts what is due.
	DryRun bool
	// Rate is how many items a second are scanned or removed: 1 to 1,000,000, default 1,000.
	Rate int
	// Progress, if set, is called after each page of the scan, by one goroutine, with the number of items read so far.
	Progress func(items int64, token string)
}

// DefaultUnverifiedLife is the default of Config.UnverifiedLife.
const DefaultUnverifiedLife = 30 * 24 * time.Hour

// Janitor removes what has come to the end of its life. It is safe for concurrent use; two that run at once do each other's work.
type Janitor struct {
	client userstore.Client
	users  *userstore.Store
	kernel *account.Kernel
	cfg    Config
}

// New returns a Janitor, or an error that names the field that is wrong. It does no I/O.
func New(client userstore.Client, cfg Config) (*Janitor, error) {
	switch {
	case cfg.UnverifiedLife < 0 || cfg.UnverifiedLife%time.Second != 0:
		return nil, fmt.Errorf("lifecycle: Config.UnverifiedLife is %v, not a positive number of whole seconds", cfg.UnverifiedLife)
	case cfg.Rate < 0 || cfg.Rate > sweep.HighestRate:
		return nil, fmt.Errorf("lifecycle: Config.Rate is %d, not 1 to %d", cfg.Rate, sweep.HighestRate)
	}
	users, err := userstore.New(client, cfg.Store)
	if err != nil {
		return nil, fmt.Errorf("lifecycle: Config.Store: %w", err)
	}
	kernel, err := account.New(client, account.Config(cfg.Store), telemetry.Outcome{Err: errKept, Name: "kept", Level: slog.LevelInfo})
	if err != nil {
		return nil, fmt.Errorf("lifecycle: Config.Store: %w", err)
	}
	if cfg.UnverifiedLife == 0 {
		cfg.UnverifiedLife = DefaultUnverifiedLife
	}
	if cfg.Rate == 0 {
		cfg.Rate = sweep.DefaultRate
	}
	return &Janitor{client: client, users: users, kernel: kernel, cfg: cfg}, nil
}

// Report is what a run has done or, in a dry run, would do.
type Report struct {
	DryRun bool `json:"dryRun"`
	// Purged counts the deleted accounts that were erased after their retention.
	Purged int64 `json:"purged"`
	// Lapsed counts the unverified addresses that were removed.
	Lapsed int64 `json:"lapsed"`
	// Failed counts what could not be removed; the next run tries again.
	Failed int64 `json:"failed"`
	// Failures are the first hundred of them.
	Failures []Failure `json:"failures,omitempty"`
	// Token goes on where a run ended early; empty after one that came to the end.
	Token string `json:"token,omitempty"`
}

// Failure is an account that could not be purged or, with an EmailID, an address that could not be removed.
type Failure struct {
	UserID  string `json:"userId"`
	EmailID string `json:"emailId,omitempty"`
	Error   string `json:"error"`
}

// mostFailures bounds Report.Failures.
const mostFailures = 100

// Run scans the table once and removes what is due. The token of an earlier run goes on where that ended; "" begins anew. The report is there
// beside an error too, which is ErrToken, the context's, or that of a scan. What cannot be removed is counted and does not end the run.
func (j *Janitor) Run(ctx context.Context, token string) (*Report, error) {
	now := j.kernel.Now()
	r := &run{Janitor: j, lapsed: now.Add(-j.cfg.UnverifiedLife), pace: sweep.NewPace(j.cfg.Rate), report: Report{DryRun: j.cfg.DryRun}}
	next, err := r.sweep(now).Run(ctx, token)
	r.report.Token = next
	if err != nil {
		return &r.report, fmt.Errorf("lifecycle: %w", err)
	}
	return &r.report, nil
}

// settled says that there was nothing to do after all: somebody was faster, or the account was restored.
func settled(err error) bool {
	return errors.Is(err, userstore.ErrStatus) || errors.Is(err, userstore.ErrNotFound) || errors.Is(err, errKept)
}
