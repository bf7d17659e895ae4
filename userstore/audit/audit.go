package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// Client is the part of *dynamodb.Client that the package calls. It is used concurrently.
type Client interface {
	userstore.Client
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// Config says what to audit.
type Config struct {
	// Table is the name or ARN of the table; required.
	Table string
	// MaxEmails is how many addresses an account may have: 1 to 30, default 5, as for userstore.
	MaxEmails int
	// Segments is how many parts of the table are read at once: 1 to 256, default 4.
	Segments int
	// MaxFindings is how many violations the report keeps, default 1,000; all are counted.
	MaxFindings int
	// Outbox shows the accounts' events that wait; nil leaves their numbering unchecked.
	Outbox *outbox.Admin
	// Repair repairs what is found; nil only reports.
	Repair *Repair
	// Progress, if set, is called with the number of items read so far, after each page, by one goroutine at a time.
	Progress func(items int64)
}

// Repair says how to repair.
type Repair struct {
	// Store is the configuration that the services use, so that events and leases are as theirs. Its Table is that of Config.
	Store userstore.Config
}

const (
	defaultSegments    = 4
	mostSegments       = 256
	defaultMaxFindings = 1_000
)

// auditor is one run.
type auditor struct {
	client   Client
	cfg      Config
	rules    rules
	reader   reader
	repairer *repairer // nil: nothing is written
	results  *results
}

// Run audits a table, and repairs it if Config.Repair says so. It returns an error with the zero Report when cfg is wrong, and with the report
// so far when the table cannot be read or written.
func Run(ctx context.Context, client Client, cfg Config) (Report, error) {
	a, err := newAuditor(client, cfg)
	if err != nil {
		return Report{}, fmt.Errorf("audit: %w", err)
	}
	err = a.scan(ctx)
	if err == nil && a.cfg.Outbox != nil {
		err = a.numbers(ctx)
	}
	if err != nil {
		return a.results.report(), fmt.Errorf("audit: %w", err)
	}
	return a.results.report(), nil
}

// scan audits all segments at once. The first error ends it.
func (a *auditor) scan(ctx context.Context) error {
	scanning, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var segments sync.WaitGroup
	for i := range a.cfg.Segments {
		segments.Go(func() {
			if err := (&segment{auditor: a}).run(scanning, i, a.cfg.Segments); err != nil {
				stop(err)
			}
		})
	}
	segments.Wait()
	return context.Cause(scanning)
}

func newAuditor(client Client, cfg Config) (*auditor, error) {
	switch {
	case client == nil:
		return nil, fmt.Errorf("the client is nil")
	case cfg.Table == "":
		return nil, fmt.Errorf("Config.Table is empty")
	case cfg.MaxEmails < 0 || cfg.MaxEmails > account.HighestMaxEmails:
		return nil, fmt.Errorf("Config.MaxEmails is %d, not 1 to %d", cfg.MaxEmails, account.HighestMaxEmails)
	case cfg.Segments < 0 || cfg.Segments > mostSegments:
		return nil, fmt.Errorf("Config.Segments is %d, not 1 to %d", cfg.Segments, mostSegments)
	case cfg.MaxFindings < 0:
		return nil, fmt.Errorf("Config.MaxFindings is %d, not positive", cfg.MaxFindings)
	}
	if cfg.MaxEmails == 0 {
		cfg.MaxEmails = account.DefaultMaxEmails
	}
	if cfg.Segments == 0 {
		cfg.Segments = defaultSegments
	}
	if cfg.MaxFindings == 0 {
		cfg.MaxFindings = defaultMaxFindings
	}
	a := &auditor{
		client: client, cfg: cfg, rules: rules{maxEmails: int64(cfg.MaxEmails)}, reader: reader{client: client, table: cfg.Table},
		results: newResults(cfg),
	}
	if cfg.Repair == nil {
		return a, nil
	}
	var err error
	a.repairer, err = newRepairer(client, cfg)
	return a, err
}

// examine reads an account again, reports what is wrong with it, and repairs it.
func (a *auditor) examine(ctx context.Context, userID string) error {
	e, err := a.reader.stable(ctx, userID)
	if err != nil {
		return err
	}
	found := a.rules.check(e)
	if a.repairer != nil && len(found) > 0 {
		if found, err = a.repair(ctx, e, found); err != nil {
			return err
		}
	}
	a.results.add(found...)
	return nil
}

// repairTries is how often the repair of one account begins anew because the account has changed meanwhile.
const repairTries = 3

// repair repairs an account and returns what was found, with what became of it.
func (a *auditor) repair(ctx context.Context, e evidence, found []Violation) ([]Violation, error) {
	after := e
	for range repairTries {
		moved := a.repairer.account(ctx, after, found)
		if moved != nil && !errors.Is(moved, errMoved) && !errors.Is(moved, account.ErrNotFound) {
			return found, fmt.Errorf("repairing account %s: %w", e.userID, moved)
		}
		var err error
		if after, err = a.reader.stable(ctx, e.userID); err != nil {
			return found, err
		}
		if moved == nil {
			break
		}
	}
	left := map[Violation]bool{}
	for _, v := range a.rules.check(after) {
		left[v] = true
	}
	for i, v := range found {
		found[i].Repaired = !left[v]
	}
	return found, nil
}

// examineClaim reads a claim again, which seems to have no row, and reports or removes it.
func (a *auditor) examineClaim(ctx context.Context, claim table.Claim) error {
	rowless, err := a.reader.rowless(ctx, claim)
	if err != nil || !rowless {
		return err
	}
	v := violation(claimWithoutRow, claim.UserID, claim.EmailID)
	if a.repairer != nil {
		if v.Repaired, err = a.repairer.claim(ctx, claim); err != nil {
			return fmt.Errorf("repairing a claim of account %s: %w", claim.UserID, err)
		}
	}
	a.results.add(v)
	return nil
}
