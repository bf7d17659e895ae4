package cognitosync

import (
	"context"
	"log/slog"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/userstore"
)

// signals is the spans and metrics of the package. Its log records are written where things happen. Nil fields tell nothing.
type signals struct {
	recorder *telemetry.Recorder
	failures *telemetry.Counter
	drifts   *telemetry.Counter
}

func newSignals(tracing trace.TracerProvider, metrics metric.MeterProvider) (signals, error) {
	recorder, err := telemetry.New(telemetry.Config{TracerProvider: tracing, MeterProvider: metrics, Outcomes: outcomes()})
	if err != nil {
		return signals{}, badConfig("%w", err)
	}
	failures, err := telemetry.NewCounter(metrics, "usercore.cognito.sync_failures", "{failure}",
		"Users who could not be made or queued, and changes that the user pool does not follow.")
	if err != nil {
		return signals{}, badConfig("%w", err)
	}
	drifts, err := telemetry.NewCounter(metrics, "usercore.cognito.drifts", "{drift}",
		"Differences between user pool and table that reconciliation found; orphans are of class pool_only.")
	if err != nil {
		return signals{}, badConfig("%w", err)
	}
	return signals{recorder: recorder, failures: failures, drifts: drifts}, nil
}

// outcomes are the names of errors in spans and metrics.
func outcomes() []telemetry.Outcome {
	return []telemetry.Outcome{
		{Err: ErrBadEvent, Name: "bad_event", Level: slog.LevelError},
		{Err: ErrPending, Name: "pending", Level: slog.LevelWarn},
		{Err: ErrAliasTaken, Name: "conflict", Level: slog.LevelError},
		{Err: ErrToken, Name: "bad_token", Level: slog.LevelInfo},
		{Err: userstore.ErrCorrupt, Name: "corrupt", Level: slog.LevelError},
		{Err: userstore.ErrUnavailable, Name: "unavailable", Level: slog.LevelWarn},
		{Err: userstore.ErrContention, Name: "contention", Level: slog.LevelWarn},
		{Err: userstore.ErrOutcomeUnknown, Name: "outcome_unknown", Level: slog.LevelWarn},
		{Err: userstore.ErrNotFound, Name: "user_not_found", Level: slog.LevelInfo},
		{Err: userstore.ErrStatus, Name: "wrong_status", Level: slog.LevelInfo},
		{Err: userstore.ErrInvalid, Name: "invalid", Level: slog.LevelInfo},
	}
}

// failed counts what somebody may have to look at.
func (s signals) failed(ctx context.Context, operation, outcome string) {
	s.failures.Add(ctx, 1, "operation", operation, "outcome", outcome)
}

// found counts a drift.
func (s signals) found(ctx context.Context, f Finding) {
	s.drifts.Add(ctx, 1, "class", string(f.Class), "outcome", string(f.Outcome))
}
