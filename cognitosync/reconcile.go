package cognitosync

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/userstore"
)

// Directory is the table as the Reconciler reads and repairs it; *userstore.Store is one.
type Directory interface {
	Creator
	GetByEmail(ctx context.Context, email string) (*userstore.User, error)
	Suspend(ctx context.Context, userID, reason string, options ...userstore.Option) (*userstore.User, error)
	All(ctx context.Context, segment userstore.Segment) iter.Seq2[*userstore.User, error]
}

// ReconcileConfig configures a Reconciler.
type ReconcileConfig struct {
	// UserPoolID is the pool whose users the table's accounts belong to; required. The table has no accounts of another pool: those
	// would be TableOnly.
	UserPoolID string
	// Repair lists the classes of drift to be repaired, out of all but Duplicate; the others are reported. Empty is a dry run. Read the
	// report of a dry run before you name any.
	Repair []Class
	// CallsPerSecond is the rate of requests to Cognito, 0.1 to 100, default 5. They are evenly spaced, and rarer while Cognito
	// throttles.
	CallsPerSecond float64
	// MinAge is how long an account, or a user who has none, must have been left alone before a difference is a drift: 1 minute to 30 days,
	// default 15 minutes. Give triggers, dead letters and events the time that they need.
	MinAge time.Duration
	// Segments is the number of parts in which the table is scanned, and so the grain in which a run is resumed there: 1 to 1,000,000,
	// default 16.
	Segments int
	// MaxTracked is how many users of the pool, and how many accounts, are remembered at once, 16 bytes each: 1,000 to 100,000,000, default
	// 1,000,000. Of a larger pool, the accounts beyond are read one by one; and the pool is listed, and the table scanned, once more for
	// each such part of it.
	MaxTracked int
	// MaxFindings is how many findings a report holds, default 1,000; the counts have them all, and the log too.
	MaxFindings int
	// Progress, if set, is called after each page of the pool and each segment of the table, by the goroutine of Run. Store the token
	// to resume the run after a crash.
	Progress func(Progress)
	// Logger takes one record for each drift; by default nothing is logged.
	Logger *slog.Logger
	// TracerProvider and MeterProvider take the spans and metrics of docs/observability.md; by default there are none, and the global
	// providers are never used.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Reconciler compares a user pool with the table, in both directions. Use one at a time for a pool: a second one does no harm but shares
// the pool's request quota.
type Reconciler struct {
	client Pool
	users  Directory
	cfg    ReconcileConfig
	log    *slog.Logger

	signals signals
}

// NewReconciler returns a Reconciler, or an error that names the field that is wrong. It does no I/O.
func NewReconciler(pool Pool, users Directory, cfg ReconcileConfig) (*Reconciler, error) {
	setDefault(&cfg.CallsPerSecond, defaultCallsPerSecond)
	setDefault(&cfg.MinAge, 15*time.Minute)
	setDefault(&cfg.Segments, 16)
	setDefault(&cfg.MaxTracked, 1_000_000)
	setDefault(&cfg.MaxFindings, 1_000)
	switch {
	case pool == nil || users == nil:
		return nil, badConfig("NewReconciler: pool and users are required")
	case cfg.UserPoolID == "":
		return nil, badConfig("ReconcileConfig.UserPoolID is required")
	case badRate(cfg.CallsPerSecond):
		return nil, badConfig("ReconcileConfig.CallsPerSecond is %v, want 0.1 to 100", cfg.CallsPerSecond)
	case cfg.MinAge < time.Minute || cfg.MinAge > 30*24*time.Hour:
		return nil, badConfig("ReconcileConfig.MinAge is %v, want 1 minute to 30 days", cfg.MinAge)
	case cfg.Segments < 1 || cfg.Segments > maxSegments:
		return nil, badConfig("ReconcileConfig.Segments is %d, want 1 to 1,000,000", cfg.Segments)
	case cfg.MaxTracked < 1_000 || cfg.MaxTracked > 100_000_000:
		return nil, badConfig("ReconcileConfig.MaxTracked is %d, want 1,000 to 100,000,000", cfg.MaxTracked)
	case cfg.MaxFindings < 1:
		return nil, badConfig("ReconcileConfig.MaxFindings is %d, want 1 or more", cfg.MaxFindings)
	}
	for _, class := range cfg.Repair {
		if class == Duplicate || !slices.Contains(Classes(), class) {
			return nil, badConfig("ReconcileConfig.Repair names %q, which cannot be repaired", class)
		}
	}
	signals, err := newSignals(cfg.TracerProvider, cfg.MeterProvider)
	if err != nil {
		return nil, err
	}
	cfg.Repair = slices.Clone(cfg.Repair)
	return &Reconciler{client: pool, users: users, cfg: cfg, log: loggerOf(cfg.Logger), signals: signals}, nil
}

const (
	defaultCallsPerSecond = 5
	// maxSegments is the most that a Scan can be split into (AWS API reference).
	maxSegments = 1_000_000
)

// setDefault replaces the zero value.
func setDefault[T comparable](field *T, value T) {
	if *field == *new(T) {
		*field = value
	}
}

func badRate(callsPerSecond float64) bool { return !(callsPerSecond >= 0.1 && callsPerSecond <= 100) }

// Run compares pool and table until it is through, and repairs what it is told to. token is "" for a new run, or one of Progress or
// Report of a run that ended early, of this pool.
//
// A drift is repaired, or reported, only after AdminGetUser and a consistent read of the account agree on it, and the account, or the user
// who has none, has been left alone for MinAge: ListUsers lags, and so may a scan. When the user of an account was changed last does not
// matter, because the account decides. Every repair may be repeated, so a run that is resumed some steps back does no harm.
//
// It returns the report, also beside an error. Errors are those of DynamoDB and Cognito that persist (the run can be resumed), the
// context's, userstore.ErrCorrupt (run userstore/audit), and ErrToken. A single repair that is refused does not end the run.
//
// For n users of the pool: n/60 requests to Cognito, two scans of the table, and a few requests to both for every drift. To resume, a run
// scans the table and, for its second half, lists the pool again; so it must be let live for as long as that takes. Memory is bounded by
// MaxTracked and MaxFindings.
func (r *Reconciler) Run(ctx context.Context, token string) (_ *Report, err error) {
	defer r.signals.recorder.Begin(&ctx, "cognitosync.reconcile", "").End(&err)
	run, err := r.begin(token)
	if err != nil {
		return nil, wrap("reconcile", err)
	}
	if run.at.Phase == poolPhase {
		err = run.scanPool(ctx)
	}
	if err == nil {
		err = run.scanTable(ctx)
	}
	return run.end(err), wrap("reconcile", err)
}

// run is one call of Run.
type run struct {
	*Reconciler
	pool   *userPool
	at     position
	report *Report
	// callsBefore is the number of calls of the run before it was resumed.
	callsBefore int64
	// roster is who is in the pool, nil when it must be listed first.
	roster *roster
	// recorded are ids with drifts that were counted lately: pages repeat users, and their drifts are to be counted once.
	recorded map[string]bool
}

// maxRecorded bounds run.recorded. Repetitions are near each other.
const maxRecorded = 10_000

func (r *Reconciler) begin(token string) (*run, error) {
	at, err := parseToken(token, r.cfg.UserPoolID, poolPhase, tablePhase)
	if err != nil {
		return nil, err
	}
	run := &run{
		Reconciler: r, at: at, callsBefore: at.Counts.Calls, recorded: map[string]bool{},
		pool: &userPool{client: r.client, id: r.cfg.UserPoolID, pace: steadyPacer(r.cfg.CallsPerSecond)},
		report: &Report{
			UserPoolID: r.cfg.UserPoolID, DryRun: len(r.cfg.Repair) == 0, Started: time.Now().UTC(),
			Token: token, Findings: []Finding{},
		},
	}
	return run, nil
}

// checkpoint says that all before the position is done.
func (r *run) checkpoint() {
	r.at.Counts.Calls = r.callsBefore + r.pool.calls.Load()
	r.report.Token = r.at.token()
	if r.cfg.Progress != nil {
		r.cfg.Progress(Progress{Token: r.report.Token, Counts: r.at.Counts.clone()})
	}
}

func (r *run) end(err error) *Report {
	r.at.Counts.Calls = r.callsBefore + r.pool.calls.Load()
	r.report.Counts = r.at.Counts.clone()
	r.report.Finished = time.Now().UTC()
	if err == nil {
		r.report.Complete, r.report.Token = true, ""
	}
	return r.report
}

// record counts a drift.
func (r *run) record(ctx context.Context, f Finding) {
	r.at.Counts.add(f)
	if len(r.report.Findings) < r.cfg.MaxFindings {
		r.report.Findings = append(r.report.Findings, f)
	} else {
		r.report.Omitted++
	}
	r.signals.found(ctx, f)
	r.log.WarnContext(ctx, "drift", "operation", "cognitosync.reconcile",
		"class", string(f.Class), "outcome", string(f.Outcome), "userId", f.UserID, "detail", f.Detail)
}
