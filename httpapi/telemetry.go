package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// signals is the spans and the metric of requests, named as the semantic conventions of OpenTelemetry for HTTP servers name them. Nil fields
// tell nothing.
type signals struct {
	tracer   trace.Tracer
	duration *telemetry.Histogram
}

func newSignals(c Config) (signals, error) {
	duration, err := telemetry.NewHistogram(c.MeterProvider, "http.server.request.duration", "Duration of HTTP server requests.",
		.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10)
	if err != nil {
		return signals{}, fmt.Errorf("Config.%w", err)
	}
	s := signals{duration: duration}
	if c.TracerProvider != nil {
		s.tracer = telemetry.Tracer(c.TracerProvider)
	}
	return s, nil
}

// begin starts the span of a request; nil without a tracer.
func (s signals) begin(ctx context.Context) (context.Context, trace.Span) {
	if s.tracer == nil {
		return ctx, nil
	}
	return s.tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer))
}

// end tells of a request when its answer is known. What the client chose freely, the path above all, is in neither.
func (s signals) end(ctx context.Context, span trace.Span, c *call, status int, seconds float64) {
	method, route := knownMethod(c.request.Method), "none"
	if c.route != nil {
		route = c.route.path
	}
	s.duration.Record(ctx, seconds, "http.request.method", method, "http.route", route, "http.response.status_code", strconv.Itoa(status))
	if span == nil {
		return
	}
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route),
		attribute.Int("http.response.status_code", status), attribute.String("usercore.request_id", c.requestID))
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// knownMethod keeps the values of the attribute few, as the conventions ask for.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}
