package account

import (
	"context"
	"log/slog"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// Begin starts to observe an operation, for `defer k.Begin(&ctx, "userstore.get", userID).End(&err)`. A user id of a wrong form is not
// written anywhere: it may be anything.
func (k *Kernel) Begin(ctx *context.Context, name, userID string) *telemetry.Operation {
	if k.recorder == nil {
		return nil
	}
	if UserIDProblem(userID) != "" {
		userID = ""
	}
	return k.recorder.Begin(ctx, name, userID)
}

// recorder is the telemetry of a kernel; extra are the outcomes of the package that uses it.
func (c Config) recorder(extra []telemetry.Outcome) (*telemetry.Recorder, error) {
	return telemetry.New(telemetry.Config{
		Logger: c.Logger, TracerProvider: c.TracerProvider, MeterProvider: c.MeterProvider,
		Outcomes: append(extra[:len(extra):len(extra)], outcomes()...),
	})
}

// outcomes are the names of the errors that userstore and emails share. What came of the transaction stands first: such an error may
// wrap another as its cause.
func outcomes() []telemetry.Outcome {
	return []telemetry.Outcome{
		{Err: ErrCorrupt, Name: "corrupt", Level: slog.LevelError},
		{Err: ErrContention, Name: "contention", Level: slog.LevelWarn},
		{Err: ErrUnknown, Name: "outcome_unknown", Level: slog.LevelWarn},
		{Err: ErrUnavailable, Name: "unavailable", Level: slog.LevelWarn},
		{Err: ErrNotFound, Name: "user_not_found", Level: slog.LevelInfo},
		{Err: ErrNotActive, Name: "not_active", Level: slog.LevelInfo},
		{Err: ErrTaken, Name: telemetry.Taken, Level: slog.LevelInfo},
		{Err: ErrExists, Name: "exists", Level: slog.LevelInfo},
		{Err: ErrInvalid, Name: "invalid", Level: slog.LevelInfo},
		{Err: ErrTooManyActions, Name: "too_many_actions", Level: slog.LevelInfo},
	}
}
