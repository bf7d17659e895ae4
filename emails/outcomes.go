package emails

import (
	"log/slog"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// outcomes are the names of the package's errors in records, spans and metrics.
func outcomes() []telemetry.Outcome {
	return []telemetry.Outcome{
		{Err: ErrNotFound, Name: "address_not_found", Level: slog.LevelInfo},
		{Err: ErrTooMany, Name: "too_many_addresses", Level: slog.LevelInfo},
		{Err: ErrLimited, Name: "limited", Level: slog.LevelInfo},
		{Err: ErrAlreadyVerified, Name: "already_verified", Level: slog.LevelInfo},
		{Err: ErrNotVerified, Name: "not_verified", Level: slog.LevelInfo},
		{Err: ErrNoCode, Name: "no_code", Level: slog.LevelInfo},
		{Err: ErrCodeExpired, Name: "code_expired", Level: slog.LevelInfo},
		{Err: ErrWrongCode, Name: "wrong_code", Level: slog.LevelInfo},
		{Err: ErrTooManyAttempts, Name: "too_many_attempts", Level: slog.LevelInfo},
		{Err: ErrLast, Name: "last_address", Level: slog.LevelInfo},
		{Err: ErrPrimary, Name: "primary_address", Level: slog.LevelInfo},
		{Err: ErrSend, Name: "not_sent", Level: slog.LevelWarn},
	}
}
