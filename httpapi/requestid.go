package httpapi

import (
	"net/http"
	"regexp"
)

const headerRequestID = "X-Request-Id"

var requestIDSyntax = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// requestID is the id that the client or a proxy gave, if there is exactly one and it is safe to repeat in headers and logs, else a new
// one.
func (h *Handler) requestID(r *http.Request) string {
	given := r.Header.Values(headerRequestID)
	if len(given) == 1 && requestIDSyntax.MatchString(given[0]) {
		return given[0]
	}
	return h.cfg.NewRequestID()
}
