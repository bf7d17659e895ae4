package bench

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"

	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/userstore"
)

// BenchmarkInstrumentation runs each operation without telemetry, and with a logger at its default level and providers that export nothing, in
// turns, each on an engine of its own. "ratio" is that of the medians. "alone" is what is left of the instrumentation when nothing is
// configured, as a share of the operation.
func BenchmarkInstrumentation(b *testing.B) {
	for _, op := range operations {
		b.Run(op.name, func(b *testing.B) {
			silent, _ := readyScene(b, op.ready, userstore.Config{Table: table})
			listening, _ := readyScene(b, op.ready, userstore.Config{
				Table: table, Logger: slog.New(slog.NewJSONHandler(io.Discard, nil)),
				TracerProvider: tracenoop.NewTracerProvider(), MeterProvider: metricnoop.NewMeterProvider(),
			})
			without, with, nothing := make([]time.Duration, b.N), make([]time.Duration, b.N), make([]time.Duration, b.N)
			b.ResetTimer()
			for i := range b.N {
				run := func(s *scene) time.Duration {
					s.client.sent = s.client.sent[:0]
					began := time.Now()
					require.NoError(b, op.run(s, b.Context(), i))
					return time.Since(began)
				}
				if i%2 == 0 {
					without[i], with[i] = run(silent), run(listening)
				} else {
					with[i], without[i] = run(listening), run(silent)
				}
				began := time.Now()
				require.NoError(b, unobserved(b.Context()))
				nothing[i] = time.Since(began)
			}
			b.ReportMetric(float64(median(with))/float64(median(without)), "ratio")
			b.ReportMetric(float64(median(nothing))/float64(median(without)), "alone")
		})
	}
}

// unobserved is an operation that does nothing and that nobody listens to.
func unobserved(ctx context.Context) (err error) {
	var none *telemetry.Recorder
	defer none.Begin(&ctx, "userstore.get", user(0)).End(&err)
	return nil
}
