package httpapi

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Config is the rules of a Handler. Its zero value is the default.
type Config struct {
	// Prefix stands before every path but /openapi.json: one or more segments of [A-Za-z0-9._~-], each after a slash, none of them "." or
	// "..". Default "/v1"; "/" for no prefix.
	Prefix string
	// Timeout bounds the work on one request through its context. It does not bound the reading of the body: that is the server's
	// ReadTimeout. Default 10 s.
	Timeout time.Duration
	// MaxBody is the size of the largest request body, in bytes: 1 to 1,048,576, default 65,536. A larger one is answered with 413.
	MaxBody int64
	// StatusCheck says when the account behind a token is looked at: default Writes. Handler.SetStatusCheck changes it later.
	StatusCheck StatusCheck
	// TokensValidAfter is the fleet-wide cut-off of StatusCheck EveryRequest: tokens issued before it are refused. A zero time refuses none.
	// It is asked once for each request, concurrently, and should answer from memory. An error is answered with 503. Nil for no cut-off.
	TokensValidAfter func(ctx context.Context) (time.Time, error)
	// Limiter is a general limit on the requests of each user, beside the limits on verification. Nil for none.
	Limiter Limiter
	// CORS opens the API to pages of other origins. By default it is not.
	CORS CORS
	// Logger takes one record for each request: method, route, status, userId, requestId, duration and, if there is one, the error. Faults
	// have level Error, answers of 503 Warn, others Info. No record has an address, a code, a token or a path as it was sent; why a Sender
	// failed is for the Sender to log. By default nothing is logged.
	Logger *slog.Logger
	// TracerProvider takes a span for each request, MeterProvider its duration, as docs/observability.md lists them. A span continues the trace
	// that the request's context carries: read the client's headers in front of the Handler. By default there are none, and the global
	// providers are never used.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
	// Now is the clock of headers and log records, default time.Now.
	Now func() time.Time
	// NewRequestID makes the id of a request that brings none that is usable: 1 to 64 characters of [A-Za-z0-9._-], unique. It is called
	// concurrently. By default it is "req-" and 26 random characters.
	NewRequestID func() string
}

const (
	defaultPrefix  = "/v1"
	defaultTimeout = 10 * time.Second
	defaultMaxBody = 64 << 10
	highestMaxBody = 1 << 20
)

var (
	prefixSyntax = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)
	dotSegment   = regexp.MustCompile(`/\.\.?(/|$)`)
)

// checked is the configuration with its defaults, or an error that names the field that is refused.
func (c Config) checked() (Config, error) {
	switch {
	case c.Prefix != "" && c.Prefix != "/" && !prefixSyntax.MatchString(c.Prefix), dotSegment.MatchString(c.Prefix):
		return c, fmt.Errorf("Config.Prefix is %q, not a clean path without a slash at the end", c.Prefix)
	case c.Timeout < 0:
		return c, fmt.Errorf("Config.Timeout is %v, not positive", c.Timeout)
	case c.MaxBody < 0 || c.MaxBody > highestMaxBody:
		return c, fmt.Errorf("Config.MaxBody is %d, not 1 to %d", c.MaxBody, highestMaxBody)
	case !c.StatusCheck.known():
		return c, fmt.Errorf("Config.StatusCheck is %d, not Writes or EveryRequest", c.StatusCheck)
	}
	if err := c.CORS.check(); err != nil {
		return c, err
	}
	return c.withDefaults(), nil
}

func (c Config) withDefaults() Config {
	switch c.Prefix {
	case "":
		c.Prefix = defaultPrefix
	case "/":
		c.Prefix = ""
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.MaxBody == 0 {
		c.MaxBody = defaultMaxBody
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewRequestID == nil {
		c.NewRequestID = func() string { return "req-" + rand.Text() }
	}
	if c.CORS.MaxAge == 0 {
		c.CORS.MaxAge = defaultMaxAge
	}
	c.CORS.AllowedOrigins = slices.Clone(c.CORS.AllowedOrigins)
	return c
}
