package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrEvent says that an event is of no shape that this package knows, or is damaged.
var ErrEvent = errors.New("gateway: not an event of API Gateway or a function URL")

// Config configures a Function. The zero value is the default.
type Config struct {
	// BasePath is taken away from the front of paths that begin with it: the mapping of a custom domain, as in "/accounts". Default none.
	BasePath string
}

// Function is a net/http handler as a Lambda function. It is safe for concurrent use.
type Function struct {
	handler http.Handler
	cfg     Config
}

// New returns the function, or an error that names the field that is wrong.
func New(handler http.Handler, cfg Config) (*Function, error) {
	switch {
	case handler == nil:
		return nil, errors.New("gateway: the handler is required")
	case cfg.BasePath != "" && (!strings.HasPrefix(cfg.BasePath, "/") || strings.HasSuffix(cfg.BasePath, "/")):
		return nil, fmt.Errorf("gateway: Config.BasePath %q must begin with a slash and not end with one", cfg.BasePath)
	}
	return &Function{handler: handler, cfg: cfg}, nil
}

// Invoke answers one event. It is the method of lambda.Handler. It returns ErrEvent for what is no HTTP event; whatever the handler
// answers is no error.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	e, err := decode(payload)
	if err != nil {
		return nil, err
	}
	r, err := e.request(ctx, f.cfg.BasePath)
	if err != nil {
		return nil, err
	}
	w := newAnswer()
	f.handler.ServeHTTP(w, r)
	status, header, body := w.finish(r.Method)
	return json.Marshal(e.response(status, header, body))
}
