package telemetry_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/telemetry"
)

var errKnown = errors.New("known, with a secret")

// told is the record of an operation that ends with err.
func told(t *testing.T, err error, during func(*telemetry.Operation)) string {
	t.Helper()
	var log bytes.Buffer
	recorder, failed := telemetry.New(telemetry.Config{
		Logger:   slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Outcomes: []telemetry.Outcome{{Err: errKnown, Name: "known", Level: slog.LevelInfo}},
	})
	require.NoError(t, failed)
	ctx := telemetry.WithRequestID(t.Context(), "r1")
	func() {
		defer recorder.Begin(&ctx, "test.run", "u1").End(&err)
		during(telemetry.From(ctx))
	}()
	return log.String()
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"success":            {nil, "level=DEBUG msg=\"usercore: operation\" operation=test.run outcome=ok"},
		"known":              {fmt.Errorf("run: %w", errKnown), "outcome=known"},
		"known_before_cause": {fmt.Errorf("%w: %w", errKnown, context.Canceled), "outcome=known"},
		"canceled":           {context.DeadlineExceeded, "level=WARN msg=\"usercore: operation\" operation=test.run outcome=canceled"},
		"unknown":            {errors.New("a secret"), "level=ERROR msg=\"usercore: operation\" operation=test.run outcome=error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := told(t, c.err, func(*telemetry.Operation) {})
			require.Contains(t, got, c.want)
			require.Contains(t, got, "attempts=1 userId=u1 requestId=r1")
			require.NotContains(t, got, "secret")
		})
	}
}

func TestWhatHappenedOnTheWay(t *testing.T) {
	t.Parallel()
	got := told(t, nil, func(o *telemetry.Operation) {
		o.Refused("None", "TransactionConflict")
		o.Retry()
		o.Stale()
		o.Decided("denied", slog.LevelInfo)
	})
	require.Contains(t, got, "level=INFO")
	require.Contains(t, got, "outcome=denied attempts=2")
	require.Contains(t, got, `reasons="[None TransactionConflict]"`)
}

// TestNothing calls everything where nobody listens. It counts allocations, so it runs alone.
func TestNothing(t *testing.T) {
	recorder, err := telemetry.New(telemetry.Config{})
	require.NoError(t, err)
	require.Nil(t, recorder)
	counter, err := telemetry.NewCounter(nil, "c", "1", "")
	require.NoError(t, err)
	gauge, err := telemetry.NewGauge(nil, "g", "1", "")
	require.NoError(t, err)
	histogram, err := telemetry.NewHistogram(nil, "h", "")
	require.NoError(t, err)
	ctx, refusal := t.Context(), []string{"ThrottlingException"}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		ctx := ctx
		var err error
		o := recorder.Begin(&ctx, "test.run", "u1")
		telemetry.From(ctx).Refused(refusal...)
		o.Retry()
		o.Stale()
		o.Decided("x", slog.LevelInfo)
		o.End(&err)
		counter.Add(ctx, 1, "key", "value")
		gauge.Set(ctx, 1, "key", "value")
		histogram.Record(ctx, 1)
	}))
}
