package ratelimit

import (
	"context"
	"errors"
	"log/slog"

	"github.com/aws/smithy-go"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// Telemetry says where a limiter tells of its decisions. It never tells a key, which may be an address. Its zero value tells nothing.
type Telemetry struct {
	// Name stands in records and metrics as the limiter's: choose few, such as "api" and "login". Default "limiter".
	Name string
	// Logger takes one record for each decision: Debug for what is allowed, Info for what is denied, Warn for what the failure policy decides.
	Logger *slog.Logger
	// TracerProvider and MeterProvider take spans and metrics, see docs/observability.md. The global providers are never used. Of a TransactItem
	// only the denial is told, as a metric: whether its unit was used, the transaction alone knows.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// Outcomes of decisions, in records and metrics.
const (
	outcomeAllowed  = "allowed"
	outcomeDenied   = "denied"
	outcomeDegraded = "degraded" // DynamoDB did not answer; the failure policy decided
)

// signals is what a limiter tells. Nil fields tell nothing.
type signals struct {
	name      string
	recorder  *telemetry.Recorder
	decisions *telemetry.Counter
}

func newSignals(t Telemetry) (signals, error) {
	if t.Name == "" {
		t.Name = "limiter"
	}
	recorder, err := telemetry.New(telemetry.Config{
		Logger: t.Logger, TracerProvider: t.TracerProvider, MeterProvider: t.MeterProvider,
		Outcomes: []telemetry.Outcome{{Err: ErrUnits, Name: "invalid", Level: slog.LevelInfo}},
	})
	if err != nil {
		return signals{}, badConfig("Telemetry: %w", err)
	}
	decisions, err := telemetry.NewCounter(t.MeterProvider, "usercore.ratelimit.decisions", "{decision}",
		"Decisions of limiters, made by DynamoDB or by the failure policy.")
	if err != nil {
		return signals{}, badConfig("Telemetry: %w", err)
	}
	return signals{name: t.Name, recorder: recorder, decisions: decisions}, nil
}

// decided tells of a decision, and names the operation's outcome after it.
func (s signals) decided(ctx context.Context, o *telemetry.Operation, d Decision) {
	outcome, level := outcomeDenied, slog.LevelInfo
	switch {
	case d.Degraded:
		outcome, level = outcomeDegraded, slog.LevelWarn
		var api smithy.APIError
		if errors.As(d.Cause, &api) {
			o.Refused(api.ErrorCode())
		}
	case d.Allowed:
		outcome, level = outcomeAllowed, slog.LevelDebug
	}
	o.Decided(outcome, level)
	s.decisions.Add(ctx, 1, "limiter", s.name, "outcome", outcome)
}
