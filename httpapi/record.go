package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/usercore-go/usercore/emails"
)

// record logs one request when its answer is known: faults as errors, and what may pass by itself (503) as warnings, unless only the client
// has gone. More is what the caller knows besides.
func (h *Handler) record(ctx context.Context, c *call, status int, err error, more ...slog.Attr) {
	level := slog.LevelInfo
	switch {
	case errors.Is(err, context.Canceled):
	case status == http.StatusServiceUnavailable:
		level = slog.LevelWarn
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	if !h.cfg.Logger.Enabled(ctx, level) {
		return
	}
	attributes := append(c.attributes(), slog.Int("status", status))
	attributes = append(attributes, more...)
	if err != nil {
		attributes = append(attributes, slog.String("error", logText(err)))
	}
	var panicked *panicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, slog.String("stack", string(panicked.stack)))
	}
	h.cfg.Logger.LogAttrs(ctx, level, "request", attributes...)
}

// warn logs what went wrong beside a request that succeeds.
func (h *Handler) warn(ctx context.Context, c *call, message string, err error) {
	h.cfg.Logger.LogAttrs(ctx, slog.LevelWarn, message, append(c.attributes(), slog.String("error", logText(err)))...)
}

// attributes say which request a record is about. The path is that of the route: what was sent may hold anything.
func (c *call) attributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("method", c.request.Method), slog.String("requestId", c.requestID)}
	if c.route != nil {
		attributes = append(attributes, slog.String("route", c.route.path))
	}
	if c.identity.UserID != "" {
		attributes = append(attributes, slog.String("userId", c.identity.UserID))
	}
	return attributes
}

// logText is the text of an error in a record. What a Sender says is left to the Sender to log: mail servers like to repeat the address.
func logText(err error) string {
	if errors.Is(err, emails.ErrSend) {
		return emails.ErrSend.Error()
	}
	return err.Error()
}
