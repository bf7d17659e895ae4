package function

import (
	"context"
	"io"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/usercore-go/usercore/userstore"
)

// newLogger writes JSON, and in each record of an invocation its id, by which Lambda's own records name it.
func newLogger(w io.Writer) *slog.Logger { return slog.New(invocation{slog.NewJSONHandler(w, nil)}) }

// invocation adds the id of the invocation that a record's context belongs to.
type invocation struct{ slog.Handler }

// Handle adds the id.
func (h invocation) Handle(ctx context.Context, record slog.Record) error {
	if id := requestID(ctx); id != "" {
		record.AddAttrs(slog.String("awsRequestId", id))
	}
	return h.Handler.Handle(ctx, record)
}

// WithAttrs keeps the id.
func (h invocation) WithAttrs(attrs []slog.Attr) slog.Handler {
	return invocation{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the id, in the group.
func (h invocation) WithGroup(name string) slog.Handler { return invocation{h.Handler.WithGroup(name)} }

// requestID is the id of the invocation, "" outside one.
func requestID(ctx context.Context) string {
	if lambda, ok := lambdacontext.FromContext(ctx); ok {
		return lambda.AwsRequestID
	}
	return ""
}

// correlated gives the id to the events and records of what the invocation changes.
func correlated(ctx context.Context) context.Context {
	if id := requestID(ctx); id != "" {
		return userstore.WithRequestID(ctx, id)
	}
	return ctx
}
