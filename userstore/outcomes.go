package userstore

import (
	"log/slog"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// outcomes are the names of the package's own errors in records, spans and metrics.
func outcomes() []telemetry.Outcome {
	return []telemetry.Outcome{
		{Err: ErrVersionConflict, Name: telemetry.VersionConflict, Level: slog.LevelInfo},
		{Err: ErrStatus, Name: "wrong_status", Level: slog.LevelInfo},
	}
}
