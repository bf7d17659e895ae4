package telemetry

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Counter counts what one package alone can tell of. A nil Counter counts nothing. It is safe for concurrent use.
type Counter struct{ counter metric.Int64Counter }

// NewCounter returns a Counter, nil without a provider. An error comes from the provider.
func NewCounter(provider metric.MeterProvider, name, unit, description string) (*Counter, error) {
	if provider == nil {
		return nil, nil
	}
	counter, err := provider.Meter(scope).Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(description))
	if err != nil {
		return nil, providerError(err)
	}
	return &Counter{counter: counter}, nil
}

// Add counts n under an attribute for each two of pairs: a key and its value, from a small set.
func (c *Counter) Add(ctx context.Context, n int, pairs ...string) {
	if c != nil {
		c.counter.Add(ctx, int64(n), with(attributes(pairs)...))
	}
}

// Histogram is the distribution of seconds that one package alone can tell of. A nil Histogram takes nothing. It is safe for concurrent use.
type Histogram struct{ histogram metric.Float64Histogram }

// NewHistogram returns a Histogram with its bounds, nil without a provider. An error comes from the provider.
func NewHistogram(provider metric.MeterProvider, name, description string, bounds ...float64) (*Histogram, error) {
	if provider == nil {
		return nil, nil
	}
	histogram, err := provider.Meter(scope).Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description),
		metric.WithExplicitBucketBoundaries(bounds...))
	if err != nil {
		return nil, providerError(err)
	}
	return &Histogram{histogram: histogram}, nil
}

// Record takes a time in seconds, with pairs as Counter.Add has them.
func (h *Histogram) Record(ctx context.Context, seconds float64, pairs ...string) {
	if h != nil {
		h.histogram.Record(ctx, seconds, with(attributes(pairs)...))
	}
}

// Gauge is a value as it stands. A nil Gauge takes nothing. It is safe for concurrent use.
type Gauge struct{ gauge metric.Float64Gauge }

// NewGauge returns a Gauge, nil without a provider. An error comes from the provider.
func NewGauge(provider metric.MeterProvider, name, unit, description string) (*Gauge, error) {
	if provider == nil {
		return nil, nil
	}
	gauge, err := provider.Meter(scope).Float64Gauge(name, metric.WithUnit(unit), metric.WithDescription(description))
	if err != nil {
		return nil, providerError(err)
	}
	return &Gauge{gauge: gauge}, nil
}

// Set takes the value, with pairs as Counter.Add has them.
func (g *Gauge) Set(ctx context.Context, value float64, pairs ...string) {
	if g != nil {
		g.gauge.Record(ctx, value, with(attributes(pairs)...))
	}
}

func attributes(pairs []string) []attribute.KeyValue {
	list := make([]attribute.KeyValue, len(pairs)/2)
	for i := range list {
		list[i] = attribute.String(pairs[2*i], pairs[2*i+1])
	}
	return list
}

func providerError(err error) error { return fmt.Errorf("MeterProvider: %w", err) }
