package main

import (
	"errors"
	"net/http"

	"github.com/usercore-go/usercore/userstore"
)

// healthz says that the process is up and answers. It makes no request.
func (a *app) healthz(*http.Request) (answer, error) {
	return ok(map[string]string{"status": "ok"}), nil
}

// readyz says that the table can be read, consistently: one request, 1 RCU.
func (a *app) readyz(r *http.Request) (answer, error) {
	const anyID = "readyz"
	if _, err := a.users.Get(r.Context(), anyID); err != nil && !errors.Is(err, userstore.ErrNotFound) {
		a.logger.WarnContext(r.Context(), "not ready", "error", err)
		return answer{}, notReady(err)
	}
	return ok(map[string]string{"status": "ready"}), nil
}
