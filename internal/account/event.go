package account

import "context"

// Event is something that a change brought about, for others to hear of.
type Event struct {
	// Type is domain.action, as in "email.verified".
	Type string
	// Data is the payload beside userId and the envelope.
	Data map[string]any
}

type requestIDKey struct{}

// WithRequestID returns a context whose changes carry the id of the request that asked for them.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID is the id that WithRequestID put into ctx, "" for none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
