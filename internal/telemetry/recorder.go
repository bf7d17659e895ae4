package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

const scope = "github.com/usercore-go/usercore"

// Tracer is the library's tracer of a provider.
func Tracer(provider trace.TracerProvider) trace.Tracer { return provider.Tracer(scope) }

// Config is where a Recorder writes; what is nil is not written.
type Config struct {
	Logger         *slog.Logger
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Outcomes are the names of errors; the first that matches counts.
	Outcomes []Outcome
}

// Outcome is the name of an error in records, spans and metrics.
type Outcome struct {
	Err  error
	Name string
	// Level is the level of the record: Info for a refusal, Warn for what may pass, Error for what somebody must look at.
	Level slog.Level
}

// Names of outcomes that are no error of a table.
const (
	OK       = "ok"
	Canceled = "canceled"
	Other    = "error"
)

// Names of outcomes that have a metric of their own.
const (
	Taken           = "taken"
	VersionConflict = "version_conflict"
)

// Recorder writes what operations did. A nil Recorder writes nothing. It is safe for concurrent use.
type Recorder struct {
	log      *slog.Logger
	tracer   trace.Tracer
	outcomes []Outcome

	duration  metric.Float64Histogram
	conflicts metric.Int64Counter
	races     metric.Int64Counter
	throttles metric.Int64Counter
}

// New returns a Recorder, nil when nothing is to be written. An error comes from the MeterProvider.
func New(c Config) (*Recorder, error) {
	if c.Logger == nil && c.TracerProvider == nil && c.MeterProvider == nil {
		return nil, nil
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.TracerProvider == nil {
		c.TracerProvider = tracenoop.NewTracerProvider()
	}
	if c.MeterProvider == nil {
		c.MeterProvider = metricnoop.NewMeterProvider()
	}
	r := &Recorder{log: c.Logger, tracer: Tracer(c.TracerProvider), outcomes: c.Outcomes}
	if err := r.instruments(c.MeterProvider.Meter(scope)); err != nil {
		return nil, providerError(err)
	}
	return r, nil
}

func (r *Recorder) instruments(m metric.Meter) error {
	var errs [4]error
	r.duration, errs[0] = m.Float64Histogram("usercore.operation.duration", metric.WithUnit("s"),
		metric.WithDescription("How long operations take, their retries included."),
		metric.WithExplicitBucketBoundaries(.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	r.conflicts, errs[1] = m.Int64Counter("usercore.transaction.conflicts", metric.WithUnit("{conflict}"),
		metric.WithDescription("Changes that met another change of the same items."))
	r.races, errs[2] = m.Int64Counter("usercore.address.races", metric.WithUnit("{refusal}"),
		metric.WithDescription("Addresses refused because somebody holds them."))
	r.throttles, errs[3] = m.Int64Counter("usercore.dynamodb.throttles", metric.WithUnit("{answer}"),
		metric.WithDescription("Throttled answers of DynamoDB that outlasted the SDK's own retries."))
	return errors.Join(errs[:]...)
}

// Begin starts an operation and puts it into ctx, for From. The subject is the user id, "" for none. Defer End on the result:
//
//	defer recorder.Begin(&ctx, "userstore.get", userID).End(&err)
func (r *Recorder) Begin(ctx *context.Context, name, userID string) *Operation {
	if r == nil {
		return nil
	}
	o := &Operation{recorder: r, name: name, userID: userID, began: time.Now(), attempts: 1}
	o.ctx, o.span = r.tracer.Start(*ctx, name, trace.WithSpanKind(trace.SpanKindInternal))
	*ctx = context.WithValue(o.ctx, operationKey{}, o)
	return o
}

// outcome names an error.
func (r *Recorder) outcome(err error) (string, slog.Level) {
	if err == nil {
		return OK, slog.LevelDebug
	}
	for _, o := range r.outcomes {
		if errors.Is(err, o.Err) {
			return o.Name, o.Level
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Canceled, slog.LevelWarn
	}
	return Other, slog.LevelError
}

// with is the attributes of one point of a metric.
func with(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}
