package bench

import (
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/userstore"
)

// BenchmarkInstrumentation reads an account without telemetry, and with a logger at its default level and providers that export nothing, in
// turns; "ratio" is the median of the pairs. "alone" is what is left of the instrumentation when nothing is configured, as a share of the read.
func BenchmarkInstrumentation(b *testing.B) {
	db := memdynamo.New(memdynamo.Options{})
	_, err := db.Client().CreateTable(b.Context(), userstore.TableDefinition(table))
	require.NoError(b, err)
	silent, err := userstore.New(db.Client(), userstore.Config{Table: table})
	require.NoError(b, err)
	listening, err := userstore.New(db.Client(), userstore.Config{
		Table: table, Logger: slog.New(slog.NewJSONHandler(io.Discard, nil)),
		TracerProvider: tracenoop.NewTracerProvider(), MeterProvider: metricnoop.NewMeterProvider(),
	})
	require.NoError(b, err)
	_, err = silent.Create(b.Context(), userstore.NewUser{UserID: user(0), Email: first(0), EmailVerified: true})
	require.NoError(b, err)

	var none *telemetry.Recorder
	var ratios, alone []float64
	for b.Loop() {
		took := func(do func() error) float64 {
			began := time.Now()
			require.NoError(b, do())
			return float64(time.Since(began))
		}
		ctx := b.Context()
		without := took(func() error { _, err := silent.Get(ctx, user(0)); return err })
		with := took(func() error { _, err := listening.Get(ctx, user(0)); return err })
		nothing := took(func() (err error) {
			ctx := ctx
			defer none.Begin(&ctx, "userstore.get", user(0)).End(&err)
			return nil
		})
		ratios, alone = append(ratios, with/without), append(alone, nothing/without)
	}
	slices.Sort(ratios)
	slices.Sort(alone)
	b.ReportMetric(ratios[len(ratios)/2], "ratio")
	b.ReportMetric(alone[len(alone)/2], "alone")
}
