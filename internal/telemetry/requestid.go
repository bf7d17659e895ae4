package telemetry

import "context"

type requestIDKey struct{}

// WithRequestID returns a context whose records carry the id of the request that asked for them.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id that WithRequestID put into ctx, "" for none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
