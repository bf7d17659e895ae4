package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	sdk "go.opentelemetry.io/otel/sdk/metric"

	"github.com/usercore-go/usercore/outbox"
)

// depthInterval is how often the outbox is counted: that reads all of it, which is little unless nobody publishes.
const depthInterval = time.Minute

// metrics are what the packages measure, and the Go runtime beside it, in the form that Prometheus reads.
type metrics struct {
	registry *prometheus.Registry
	provider *sdk.MeterProvider
}

func newMetrics() (*metrics, error) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})) // a new registry has neither
	reader, err := exporter.New(exporter.WithRegisterer(registry), exporter.WithoutScopeInfo(), exporter.WithoutTargetInfo())
	if err != nil {
		return nil, fmt.Errorf("exporting metrics: %w", err)
	}
	return &metrics{registry: registry, provider: sdk.NewMeterProvider(sdk.WithReader(reader))}, nil
}

// get answers /metrics.
func (m *metrics) get(*http.Request) (answer, error) {
	families, err := m.registry.Gather()
	if err != nil {
		return answer{}, fmt.Errorf("gathering metrics: %w", err)
	}
	var body bytes.Buffer
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	encoder := expfmt.NewEncoder(&body, format)
	for _, family := range families {
		if err := encoder.Encode(family); err != nil {
			return answer{}, fmt.Errorf("writing metrics: %w", err)
		}
	}
	return ok(document{contentType: string(format), text: body.Bytes()}), nil
}

// countOutbox measures the depth and the age of an outbox until ctx ends. What fails is tried again at the next turn.
func countOutbox(ctx context.Context, admin *outbox.Admin, logger *slog.Logger) error {
	turn := time.NewTicker(depthInterval)
	defer turn.Stop()
	for {
		if _, err := admin.Depth(ctx); err != nil && ctx.Err() == nil {
			logger.WarnContext(ctx, "the outbox could not be counted", "error", err)
		}
		select {
		case <-turn.C:
		case <-ctx.Done():
			return nil
		}
	}
}
