package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/usercore-go/usercore/userstore"
)

// Handler answers the requests of the user service. It is safe for concurrent use.
type Handler struct {
	users     Users
	addresses Addresses
	auth      Authenticator
	cfg       Config
	routes    []route
	failures  []failure
	document  []byte
	mode      atomic.Int32
	signals   signals
}

// New returns a Handler on a *userstore.Store and an *emails.Store of the same table. It checks its arguments and does no I/O.
func New(users Users, addresses Addresses, auth Authenticator, cfg Config) (*Handler, error) {
	switch {
	case users == nil:
		return nil, errors.New("httpapi: users is nil")
	case addresses == nil:
		return nil, errors.New("httpapi: addresses is nil")
	case auth == nil:
		return nil, errors.New("httpapi: auth is nil")
	}
	cfg, err := cfg.checked()
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	signals, err := newSignals(cfg)
	if err != nil {
		return nil, fmt.Errorf("httpapi: %w", err)
	}
	h := &Handler{
		users: users, addresses: addresses, auth: auth, cfg: cfg,
		routes: routeTable(cfg.Prefix), failures: failures(), document: document(cfg.Prefix),
		signals: signals,
	}
	h.mode.Store(int32(cfg.StatusCheck))
	return h, nil
}

// call is one request on its way through the Handler.
type call struct {
	request   *http.Request
	requestID string
	// header is the answer's, for what stays in it whatever the answer will be.
	header   http.Header
	route    *route // nil until one is found
	emailID  string
	identity Identity
	mode     StatusCheck // in force for this request
	// user is the account, if it was read before the handler is called.
	user *userstore.User
	body []byte
}

// ServeHTTP answers one request. Every answer, to a panic too, has a body of JSON in a shape of the OpenAPI document, or none.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := h.cfg.Now()
	c := &call{requestID: h.requestID(r), header: w.Header()}
	ctx, cancel := context.WithTimeout(userstore.WithRequestID(r.Context(), c.requestID), h.cfg.Timeout)
	defer cancel()
	ctx, span := h.signals.begin(ctx)
	c.request = r.WithContext(ctx)
	if c.request.Body == nil { // not from a server, but from an adapter
		c.request.Body = http.NoBody
	}
	// The server learns from the reader that it need not wait for the rest of a body that is too large.
	c.request.Body = http.MaxBytesReader(w, c.request.Body, h.cfg.MaxBody)
	c.header.Set(headerRequestID, c.requestID)

	a, err := h.recovered(ctx, c)
	if err != nil {
		a = h.failed(c, err)
	}
	took := h.cfg.Now().Sub(started)
	h.record(ctx, c, a.status, err, slog.Duration("duration", took))
	h.signals.end(ctx, span, c, a.status, took.Seconds())
	a.write(w, r.Method)
}

// panicError is a panic of a handler or of what it called.
type panicError struct {
	value any
	stack []byte
}

// Error tells a fault of the runtime. Of any other value, which may quote what the client has sent, it tells the type: the stack says where.
func (e *panicError) Error() string {
	if fault, ok := e.value.(runtime.Error); ok {
		return "panic: " + fault.Error()
	}
	return fmt.Sprintf("panic: a value of type %T", e.value)
}

// recovered is serve with panics as errors, but for the one that net/http knows.
func (h *Handler) recovered(ctx context.Context, c *call) (a answer, err error) {
	defer func() {
		switch value := recover(); value {
		case nil:
		case http.ErrAbortHandler:
			panic(value)
		default:
			err = &panicError{value: value, stack: debug.Stack()}
		}
	}()
	return h.serve(ctx, c)
}

// serve finds the route, then who asks and whether they may, then runs the handler.
func (h *Handler) serve(ctx context.Context, c *call) (answer, error) {
	exposed := h.cfg.CORS.expose(c.header, c.request)
	routes, id := h.match(c.request.URL.EscapedPath())
	if len(routes) == 0 {
		return answer{}, errNoRoute
	}
	if c.request.Method == http.MethodOptions {
		c.header.Set("Allow", allow(routes))
		if exposed {
			h.cfg.CORS.preflight(c.header, c.request, allow(routes))
		}
		return answer{status: http.StatusNoContent}, nil
	}
	found, ok := pick(routes, c.request.Method)
	if !ok {
		c.header.Set("Allow", allow(routes))
		return answer{}, errMethod
	}
	c.route, c.emailID = found, id
	if found.access != open {
		if err := h.enter(ctx, c); err != nil {
			return answer{}, err
		}
	}
	if found.takesBody {
		body, err := readBody(c.request, h.cfg.MaxBody)
		if err != nil {
			return answer{}, err
		}
		c.body = body
	}
	return found.handle(h, ctx, c)
}

// enter lets a request to a route that needs a token in, or says why not.
func (h *Handler) enter(ctx context.Context, c *call) error {
	if err := h.authenticate(ctx, c); err != nil {
		return err
	}
	if err := h.limit(ctx, c); err != nil {
		return err
	}
	if c.emailID != "" && !idSyntax.MatchString(c.emailID) {
		return errNoSuchID
	}
	return h.checkStatus(ctx, c)
}
