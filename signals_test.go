package usercore_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/usercore-go/usercore/userstore"
)

// signals takes all that the library tells of: records at every level, spans and metrics.
type signals struct {
	mu      sync.Mutex
	records bytes.Buffer
	spans   *tracetest.SpanRecorder
	tracing *trace.TracerProvider
	reader  *metric.ManualReader
	metrics *metric.MeterProvider
}

func newSignals() *signals {
	s := &signals{spans: tracetest.NewSpanRecorder(), reader: metric.NewManualReader()}
	s.tracing = trace.NewTracerProvider(trace.WithSpanProcessor(s.spans))
	s.metrics = metric.NewMeterProvider(metric.WithReader(s.reader))
	return s
}

// Write takes a record.
func (s *signals) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records.Write(p)
}

// logger takes records of every level.
func (s *signals) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(s, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// observe is the configuration that sends the signals here.
func (s *signals) observe(c *userstore.Config) {
	c.Logger = s.logger()
	c.TracerProvider, c.MeterProvider = s.tracing, s.metrics
}

// record is the fields of the library's record of one operation.
type record struct {
	Level, Operation, Outcome, UserID, RequestID string
	Attempts                                     int
	Reasons                                      []string
}

// last is the newest record.
func (s *signals) last(t *testing.T) record {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(s.records.String()), "\n")
	var r record
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &r))
	return r
}

// collected is all metrics.
func (s *signals) collected(t *testing.T) metricdata.ResourceMetrics {
	t.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(t, s.reader.Collect(t.Context(), &all))
	return all
}

// count is the sum of a counter's or gauge's points that have all attributes, "key=value" each; of a histogram, the number of its values.
func (s *signals) count(t *testing.T, name string, attributes ...string) (n int64) {
	t.Helper()
	for _, scope := range s.collected(t).ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				n += sum(m.Data, attributes)
			}
		}
	}
	return n
}

func sum(data metricdata.Aggregation, attributes []string) (n int64) {
	switch data := data.(type) {
	case metricdata.Sum[int64]:
		for _, p := range data.DataPoints {
			n += p.Value * has(p.Attributes, attributes)
		}
	case metricdata.Gauge[float64]:
		for _, p := range data.DataPoints {
			n += int64(p.Value) * has(p.Attributes, attributes)
		}
	case metricdata.Histogram[float64]:
		for _, p := range data.DataPoints {
			n += int64(p.Count) * has(p.Attributes, attributes)
		}
	}
	return n
}

// has is 1 if a point has all attributes, else 0.
func has(set attribute.Set, attributes []string) int64 {
	found := 0
	for _, kv := range set.ToSlice() {
		if slices.Contains(attributes, string(kv.Key)+"="+kv.Value.String()) {
			found++
		}
	}
	if found < len(attributes) {
		return 0
	}
	return 1
}

// log is all records.
func (s *signals) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records.String()
}

// text is all that was told, for a search: records, spans and metrics.
func (s *signals) text(t *testing.T) string {
	t.Helper()
	metrics, err := json.Marshal(s.collected(t))
	require.NoError(t, err)
	spans, err := json.Marshal(tracetest.SpanStubsFromReadOnlySpans(s.spans.Ended()))
	require.NoError(t, err)
	return s.log() + string(spans) + string(metrics)
}
