package cognitosync

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

const (
	// cognitoPatience is how long Cognito waits for a trigger (Cognito Developer Guide, Lambda triggers).
	cognitoPatience = 5 * time.Second

	defaultBudget  = 3500 * time.Millisecond
	defaultReserve = time.Second
)

// TriggerConfig configures a Trigger.
type TriggerConfig struct {
	// QueueURL is the queue of dead letters: a standard one, not FIFO; required.
	QueueURL string
	// Budget is the time for making the account, and Reserve what is kept after it for the hand-over to the queue; defaults 3.5 s and
	// 1 s. Both are at least 100 ms and together at most 5 s, for which Cognito waits. A deadline of the context shortens Budget.
	Budget  time.Duration
	Reserve time.Duration
	// Logger takes one record for each event that did something; by default nothing is logged. Give one: it is where a user shows up
	// who could neither be made nor queued.
	Logger *slog.Logger
	// TracerProvider and MeterProvider take the spans and metrics of docs/observability.md; by default there are none, and the global
	// providers are never used.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Trigger handles Cognito's Lambda triggers. It is safe for concurrent use, and for Cognito's habit of calling again while an attempt
// that timed out is still at work.
type Trigger struct {
	users Creator
	queue Queue
	cfg   TriggerConfig
	log   *slog.Logger

	signals signals
}

// NewTrigger returns a Trigger, or an error that names the field that is wrong. It does no I/O.
func NewTrigger(users Creator, queue Queue, cfg TriggerConfig) (*Trigger, error) {
	if cfg.Budget == 0 {
		cfg.Budget = defaultBudget
	}
	if cfg.Reserve == 0 {
		cfg.Reserve = defaultReserve
	}
	const least = 100 * time.Millisecond
	switch {
	case users == nil || queue == nil:
		return nil, badConfig("NewTrigger: users and queue are required")
	case cfg.QueueURL == "" || strings.HasSuffix(cfg.QueueURL, ".fifo"):
		return nil, badConfig("TriggerConfig.QueueURL must be that of a standard queue")
	case cfg.Budget < least || cfg.Reserve < least || cfg.Budget+cfg.Reserve > cognitoPatience:
		return nil, badConfig("TriggerConfig.Budget and Reserve must be at least %v, and together at most %v", least, cognitoPatience)
	}
	signals, err := newSignals(cfg.TracerProvider, cfg.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &Trigger{users: users, queue: queue, cfg: cfg, log: loggerOf(cfg.Logger), signals: signals}, nil
}

// Handle takes an event of a Lambda trigger and returns it unchanged, byte for byte. What it does depends on the event's source:
//
//   - PostConfirmation_ConfirmSignUp makes the account. When that fails, the user goes to the queue of dead letters and the sign-up
//     succeeds: Cognito has confirmed the user already and never calls again.
//   - TokenGeneration_… makes the account of a user who has none, as EnsureUser does. When DynamoDB does not answer, the user goes to
//     the queue; when the account is refused, that is logged, and tried again at the next sign-in. The sign-in succeeds.
//   - Everything else passes, whatever its shape, PostConfirmation_ConfirmForgotPassword too: a password reset makes nobody.
//
// It returns ErrBadEvent for what is no trigger event, and an error when a confirmed user could neither be made nor queued; the log then
// has the sub, with which a person or the Reconciler makes the account. One request to DynamoDB for a confirmation, a read for a token.
func (t *Trigger) Handle(ctx context.Context, event json.RawMessage) (_ json.RawMessage, err error) {
	defer t.signals.recorder.Begin(&ctx, "cognitosync.trigger", "").End(&err)
	if err := t.handle(ctx, event); err != nil {
		return nil, wrap("trigger", err)
	}
	return event, nil
}

func (t *Trigger) handle(ctx context.Context, event json.RawMessage) error {
	source, err := sourceOf(event)
	confirmation, signIn := source == "PostConfirmation_ConfirmSignUp", strings.HasPrefix(source, "TokenGeneration_")
	if err != nil || !confirmation && !signIn {
		return err
	}
	e, err := parseTrigger(event)
	switch {
	case err != nil:
		return err
	case confirmation:
		return t.confirmed(ctx, e)
	case e.identity.UserID != "":
		t.signedIn(ctx, e)
	}
	return nil
}

// confirmed makes the account of a new user, or queues it.
func (t *Trigger) confirmed(ctx context.Context, e triggerEvent) error {
	started := time.Now()
	cause := t.within(ctx, func(ctx context.Context) error {
		_, err := create(ctx, t.users, e.identity)
		return err
	})
	log := t.log.With(e.attributes(started)...)
	if cause == nil {
		log.InfoContext(ctx, "account is there", "outcome", "stored")
		return nil
	}
	if err := t.handOver(ctx, e, cause); err != nil {
		t.signals.failed(ctx, "cognitosync.trigger", "lost")
		log.ErrorContext(ctx, "account neither made nor queued", "outcome", "lost",
			"reason", reason(cause), "error", cause.Error(), "queueError", err.Error())
		return fmt.Errorf("the user was neither stored (%w) nor queued (%w)", cause, err)
	}
	t.signals.failed(ctx, "cognitosync.trigger", "queued")
	log.WarnContext(ctx, "account queued", "outcome", "queued", "reason", reason(cause), "error", cause.Error())
	return nil
}

// signedIn makes the account of a user who has none. It never keeps anybody from signing in.
func (t *Trigger) signedIn(ctx context.Context, e triggerEvent) {
	started := time.Now()
	cause := t.within(ctx, func(ctx context.Context) error {
		_, err := EnsureUser(ctx, t.users, e.identity)
		return err
	})
	if cause == nil {
		return
	}
	log := t.log.With(e.attributes(started)...).With("reason", reason(cause), "error", cause.Error())
	if permanent(cause) {
		t.signals.failed(ctx, "cognitosync.trigger", "refused")
		log.ErrorContext(ctx, "account refused", "outcome", "refused")
		return
	}
	if err := t.handOver(ctx, e, cause); err != nil {
		t.signals.failed(ctx, "cognitosync.trigger", "lost")
		log.ErrorContext(ctx, "account neither made nor queued", "outcome", "lost", "queueError", err.Error())
		return
	}
	t.signals.failed(ctx, "cognitosync.trigger", "queued")
	log.WarnContext(ctx, "account queued", "outcome", "queued")
}

// within runs do until it succeeds, is refused, or the budget is spent.
func (t *Trigger) within(ctx context.Context, do func(context.Context) error) error {
	budget := t.cfg.Budget
	if deadline, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Until(deadline)-t.cfg.Reserve)
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	pace := untilTheEnd(func(err error) bool { return !permanent(err) })
	return pace.do(ctx, func() error { return do(ctx) })
}

// handOver sends the user to the queue, in the time that was kept for it.
func (t *Trigger) handOver(ctx context.Context, e triggerEvent, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Reserve)
	defer cancel()
	pace := untilTheEnd(func(error) bool { return true }) // there is nothing better to do with the time
	return newDeadLetter(e, cause, time.Now()).send(ctx, t.queue, t.cfg.QueueURL, pace)
}

// triggerEvent is what the package reads of a trigger event.
type triggerEvent struct {
	TriggerSource string `json:"triggerSource"`
	Region        string `json:"region"`
	UserPoolID    string `json:"userPoolId"`
	UserName      string `json:"userName"`
	Request       struct {
		UserAttributes map[string]any `json:"userAttributes"`
	} `json:"request"`

	identity Identity
}

// sourceOf reads what every trigger's event has, also those whose shape Cognito has yet to invent.
func sourceOf(raw []byte) (string, error) {
	var e struct {
		TriggerSource string `json:"triggerSource"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.TriggerSource == "" {
		return "", fmt.Errorf("%w: not the event of a user pool's trigger", ErrBadEvent)
	}
	return e.TriggerSource, nil
}

func parseTrigger(raw []byte) (triggerEvent, error) {
	var e triggerEvent
	if err := json.Unmarshal(raw, &e); err != nil {
		return e, fmt.Errorf("%w: the event of a trigger has another shape", ErrBadEvent)
	}
	values := make(map[string]string, len(e.Request.UserAttributes))
	for name, value := range e.Request.UserAttributes {
		switch v := value.(type) {
		case string:
			values[name] = v
		case bool: // Cognito sends text; test events and emulators send email_verified as a boolean
			values[name] = strconv.FormatBool(v)
		}
	}
	e.identity = newIdentity(e.UserName, values)
	return e, nil
}

// attributes describe an event in a log: all that is needed to find the user again, and nothing that says who it is. The name of a
// federated user may be an address, so it is left out.
func (e triggerEvent) attributes(started time.Time) []any {
	return []any{
		"operation", "cognitosync.trigger", "triggerSource", e.TriggerSource, "region", e.Region, "userPoolId", e.UserPoolID,
		"userId", e.identity.UserID, "elapsed", time.Since(started),
	}
}

func loggerOf(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return logger
}
