package proof

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/suite"
)

type operationKey struct{}

// operation is the call that a request belongs to.
type operation struct {
	kind kind
	user string
}

// operating marks the requests of one call.
func operating(ctx context.Context, k kind, user string) context.Context {
	return context.WithValue(ctx, operationKey{}, operation{kind: k, user: user})
}

// operationOf is the call that a request belongs to; false for what tests do beside the calls.
func operationOf(ctx context.Context) (operation, bool) {
	op, ok := ctx.Value(operationKey{}).(operation)
	return op, ok
}

// recording is a rewrite that changes nothing: it shows the transactions of marked calls.
func recording(see func(op operation, in *dynamodb.TransactWriteItemsInput)) suite.Rewrite {
	return func(ctx context.Context, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput {
		if op, ok := operationOf(ctx); ok {
			see(op, in)
		}
		return in
	}
}
