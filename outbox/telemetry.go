package outbox

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// signals is the metrics and spans of a relay or stream handler. Its log records are written where things happen. Nil fields tell nothing.
type signals struct {
	recorder  *telemetry.Recorder
	published *telemetry.Counter
	failures  *telemetry.Counter
	aside     *telemetry.Counter
	delay     *telemetry.Histogram
}

func newSignals(c Publishing) (signals, error) {
	recorder, err := telemetry.New(telemetry.Config{
		TracerProvider: c.TracerProvider, MeterProvider: c.MeterProvider,
		Outcomes: []telemetry.Outcome{{Err: context.DeadlineExceeded, Name: "timeout", Level: slog.LevelWarn}},
	})
	if err != nil {
		return signals{}, badConfig("%w", err)
	}
	s := signals{recorder: recorder}
	for _, counter := range []struct {
		to                      **telemetry.Counter
		name, unit, description string
	}{
		{&s.published, "usercore.outbox.published", "{event}", "Events that the publisher took."},
		{&s.failures, "usercore.outbox.failures", "{attempt}", "Failed attempts at events, by the publisher's code."},
		{&s.aside, "usercore.outbox.dead_letters", "{event}", "Events that the policy moved to the dead letters or holds."},
	} {
		if *counter.to, err = telemetry.NewCounter(c.MeterProvider, counter.name, counter.unit, counter.description); err != nil {
			return signals{}, badConfig("%w", err)
		}
	}
	s.delay, err = telemetry.NewHistogram(c.MeterProvider, "usercore.outbox.delay", "From an event's time to its publication.",
		.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)
	if err != nil {
		return signals{}, badConfig("%w", err)
	}
	return s, nil
}

// took tells that the publisher has taken an event of that time.
func (s signals) took(ctx context.Context, at, now time.Time) {
	s.published.Add(ctx, 1)
	s.delay.Record(ctx, now.Sub(at).Seconds())
}

func (s signals) failed(ctx context.Context, code string, n int) {
	s.failures.Add(ctx, n, "code", code)
}

func (s signals) setAside(ctx context.Context, policy string) { s.aside.Add(ctx, 1, "policy", policy) }

// gauges is how full the outbox is, as Admin.Depth has seen it. Nil fields tell nothing.
type gauges struct{ depth, age *telemetry.Gauge }

func newGauges(provider metric.MeterProvider) (gauges, error) {
	depth, err := telemetry.NewGauge(provider, "usercore.outbox.depth", "{pack}", "Packs in the outbox, by what they wait for.")
	if err != nil {
		return gauges{}, badConfig("%w", err)
	}
	age, err := telemetry.NewGauge(provider, "usercore.outbox.age", "s", "Age of the oldest event that waits and is not held, 0 for none.")
	if err != nil {
		return gauges{}, badConfig("%w", err)
	}
	return gauges{depth: depth, age: age}, nil
}

// set tells of all shards together.
func (g gauges) set(ctx context.Context, depths []Depth, now time.Time) {
	var sum Depth
	for _, d := range depths {
		sum.Waiting += d.Waiting
		sum.Held += d.Held
		sum.Failing += d.Failing
		sum.Dead += d.Dead
		if !d.Oldest.IsZero() && (sum.Oldest.IsZero() || d.Oldest.Before(sum.Oldest)) {
			sum.Oldest = d.Oldest
		}
	}
	for state, n := range map[string]int{"waiting": sum.Waiting, "held": sum.Held, "failing": sum.Failing, "dead": sum.Dead} {
		g.depth.Set(ctx, float64(n), "state", state)
	}
	var age float64
	if !sum.Oldest.IsZero() {
		age = max(0, now.Sub(sum.Oldest).Seconds())
	}
	g.age.Set(ctx, age)
}
