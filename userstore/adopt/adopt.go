package adopt

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/sweep"
	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/audit"
)

// Config says what to adopt.
type Config struct {
	// Store is the configuration that the services will have: table, rules of addresses, limits, outbox. Required.
	Store userstore.Config
	// Apply writes; without it a run only tells what it would do.
	Apply bool
	// AccountsPerSecond bounds the pace, so that the table's own users keep their capacity; default 100, at most 10,000.
	AccountsPerSecond int
	// MaxProblems is how many problems the report keeps; default 1,000. All are counted.
	MaxProblems int
	// Progress, if set, is called after each page with the report so far and the token from which a run can go on.
	Progress func(Report, string)
}

const (
	defaultPace        = 100
	highestPace        = 10_000
	defaultMaxProblems = 1_000
	// tries is how often an account that changes while it is adopted is looked at.
	tries = 3
)

// ErrToken says that a token is none that a run gave.
var ErrToken = sweep.ErrToken

// adopter is one run.
type adopter struct {
	client audit.Client
	cfg    Config
	kernel *account.Kernel
	rules  rules
	pace   *sweep.Pace

	mu     sync.Mutex
	report Report
}

// Run goes over the table once, from its beginning or from a token of Progress. It may run while old and new programs write, be stopped at any
// time, and be repeated: what is adopted is left alone. The report is there beside an error too.
//
// It returns an error that names the field of cfg that is wrong, ErrToken, and the errors of DynamoDB.
func Run(ctx context.Context, client audit.Client, cfg Config, token string) (Report, error) {
	a, err := newAdopter(client, cfg)
	if err != nil {
		return Report{}, fmt.Errorf("adopt: %w", err)
	}
	if err := a.run(ctx, token); err != nil {
		return a.report, fmt.Errorf("adopt: %w", err)
	}
	return a.report, nil
}

func newAdopter(client audit.Client, cfg Config) (*adopter, error) {
	switch {
	case client == nil:
		return nil, errors.New("the client is nil")
	case cfg.AccountsPerSecond < 0 || cfg.AccountsPerSecond > highestPace:
		return nil, fmt.Errorf("Config.AccountsPerSecond is %d, not 1 to %d", cfg.AccountsPerSecond, highestPace)
	case cfg.MaxProblems < 0:
		return nil, fmt.Errorf("Config.MaxProblems is %d, not positive", cfg.MaxProblems)
	}
	kernel, err := account.New(client, account.Config(cfg.Store))
	if err != nil {
		return nil, fmt.Errorf("Config.Store: %w", err)
	}
	if cfg.AccountsPerSecond == 0 {
		cfg.AccountsPerSecond = defaultPace
	}
	if cfg.MaxProblems == 0 {
		cfg.MaxProblems = defaultMaxProblems
	}
	return &adopter{
		client: client, cfg: cfg, kernel: kernel, pace: sweep.NewPace(cfg.AccountsPerSecond), report: Report{Problems: []Problem{}},
		rules: rules{addresses: kernel.Addresses, maxEmails: kernel.MaxEmails, lease: kernel.ClaimLease, retention: kernel.Retention},
	}, nil
}

// account looks at one account, and adopts it unless it is or a person has to decide.
func (a *adopter) account(ctx context.Context, userID string) error {
	for range tries {
		f, err := a.read(ctx, userID)
		switch {
		case errors.Is(err, dynamo.ErrCorrupt):
			a.note(userID, nil, Unreadable)
			return nil
		case errors.Is(err, account.ErrNotFound):
			return nil // erased since the scan
		case err != nil:
			return err
		}
		plan, problems := a.rules.decide(f, a.kernel.Now())
		if plan != nil && a.cfg.Apply {
			err = a.apply(ctx, f, plan)
		}
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil {
			return fmt.Errorf("account %s: %w", userID, err)
		}
		a.note(userID, plan, problems...)
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Accounts++
	a.report.Moved++
	return nil
}

// note writes into the report what became of an account.
func (a *adopter) note(userID string, p *plan, problems ...Kind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.report.Accounts++
	if p != nil {
		a.report.Adopted++
	}
	for _, kind := range problems {
		a.report.problem(userID, kind, a.cfg.MaxProblems)
	}
}
