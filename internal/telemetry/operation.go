package telemetry

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

type operationKey struct{}

// Operation is one operation on its way; nil when nobody listens. One goroutine works on it.
type Operation struct {
	recorder *Recorder
	ctx      context.Context // the span's, for End: records and exemplars join the span by it
	span     trace.Span
	name     string
	userID   string
	began    time.Time
	attempts int
	reasons  []string
	outcome  string
	level    slog.Level
}

// From is the operation that ctx belongs to, nil for none.
func From(ctx context.Context) *Operation {
	o, _ := ctx.Value(operationKey{}).(*Operation)
	return o
}

// Retry notes that the operation tries once more.
func (o *Operation) Retry() {
	if o != nil {
		o.attempts++
	}
}

// Stale notes that what the operation had read was changed by another before it could write.
func (o *Operation) Stale() {
	if o != nil {
		o.conflict("stale")
	}
}

// Refused notes the codes with which DynamoDB refused a request: of the request, or of each action of a transaction, in their order.
func (o *Operation) Refused(reasons ...string) {
	if o == nil {
		return
	}
	o.reasons = reasons
	var conflict, throttle bool
	for _, reason := range reasons {
		switch reason {
		case "TransactionConflict", "TransactionConflictException", "TransactionInProgressException":
			conflict = true
		case "ThrottlingError", "ThrottlingException", "ProvisionedThroughputExceeded",
			"ProvisionedThroughputExceededException", "RequestLimitExceeded":
			throttle = true
		}
	}
	if conflict {
		o.conflict("transaction")
	}
	if throttle {
		o.recorder.throttles.Add(o.ctx, 1, with(attribute.String("operation", o.name)))
	}
}

// Decided names the outcome where it is not that of an error.
func (o *Operation) Decided(outcome string, level slog.Level) {
	if o != nil {
		o.outcome, o.level = outcome, level
	}
}

func (o *Operation) conflict(kind string) {
	o.recorder.conflicts.Add(o.ctx, 1, with(attribute.String("operation", o.name), attribute.String("kind", kind)))
}

// End writes the record, the span and the metrics of the operation, whose error is *err.
func (o *Operation) End(err *error) {
	if o == nil {
		return
	}
	outcome, level := o.outcome, o.level
	if outcome == "" {
		outcome, level = o.recorder.outcome(*err)
	}
	operation := attribute.String("operation", o.name)
	o.recorder.duration.Record(o.ctx, time.Since(o.began).Seconds(), with(operation, attribute.String("outcome", outcome)))
	switch outcome {
	case Taken:
		o.recorder.races.Add(o.ctx, 1, with(operation))
	case VersionConflict:
		o.conflict("version")
	}
	o.record(outcome, level)
	o.span.SetAttributes(attribute.String("usercore.outcome", outcome), attribute.Int("usercore.attempts", o.attempts))
	if o.userID != "" {
		o.span.SetAttributes(attribute.String("usercore.user_id", o.userID))
	}
	if level >= slog.LevelWarn {
		o.span.SetStatus(codes.Error, outcome)
	}
	o.span.End()
}

func (o *Operation) record(outcome string, level slog.Level) {
	if !o.recorder.log.Enabled(o.ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 6)
	attrs = append(attrs, slog.String("operation", o.name), slog.String("outcome", outcome), slog.Int("attempts", o.attempts))
	if o.userID != "" {
		attrs = append(attrs, slog.String("userId", o.userID))
	}
	if id := RequestID(o.ctx); id != "" {
		attrs = append(attrs, slog.String("requestId", id))
	}
	if len(o.reasons) > 0 {
		attrs = append(attrs, slog.Any("reasons", o.reasons))
	}
	o.recorder.log.LogAttrs(o.ctx, level, "usercore: operation", attrs...)
}
