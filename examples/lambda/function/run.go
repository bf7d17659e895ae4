package function

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/examples/deployment"
)

// Build makes a function's handler. It makes no request.
type Build func(d *deployment.Deployment) (lambda.Handler, error)

// Run is a function's main: it builds the handler and serves events. It never returns: when the function cannot be built, the process
// ends with status 1 after a log record that says why.
func Run(build Build) {
	logger := newLogger(os.Stderr)
	handler, err := open(context.Background(), os.Getenv, logger, build)
	if err != nil {
		logger.Error("the function cannot start", "error", err.Error())
		os.Exit(1)
	}
	lambda.Start(handler)
}

func open(ctx context.Context, lookup func(string) string, logger *slog.Logger, build Build) (lambda.Handler, error) {
	d, err := deployment.Open(ctx, lookup, logger)
	if err != nil {
		return nil, err
	}
	handler, err := build(d)
	if wrong := d.Err(); wrong != nil { // all variables, also when the first one kept build from going on
		return nil, wrong
	}
	return handler, err
}

// Handler is a lambda.Handler whose events and answers stay the JSON that they are: nothing is decoded and written anew on the way.
type Handler func(ctx context.Context, event json.RawMessage) (json.RawMessage, error)

// Invoke handles one event.
func (h Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	return h(correlated(ctx), payload)
}
