package httpapi

import (
	"errors"
	"net/http"
	"time"

	"github.com/usercore-go/usercore/userstore"
)

// Error is an error that says how it is answered, for handlers that stand beside a Handler; see Handler.WriteError.
type Error struct {
	// Status is the HTTP status, 400 or above, one for which net/http has a text. With any other the error is answered as its cause is.
	Status int
	// Message is the text for the client. It must tell nothing of the inside.
	Message string
	// Details are the fields of the request body that were refused, if it was for fields.
	Details []userstore.FieldError
	// RetryAfter is how long to wait before another try, rounded up to a second; 0 when waiting does not help.
	RetryAfter time.Duration
	// Err is the cause, for the log alone; may be nil.
	Err error
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return "httpapi: " + e.Message
	}
	return "httpapi: " + e.Message + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// WriteError answers a request to a handler that stands beside h, as h answers those to its own routes: in the one form of errors, with the same
// headers, and one log record. An *Error is answered as it says; the errors of userstore, emails and an Authenticator as they are in the
// API; everything else is a fault, 500, of which the client learns no more. The answer's request id is the X-Request-Id that is set in w
// already, else the request's, else a new one. Headers for other origins are left to the caller. It does no I/O but the answer.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	c := &call{request: r, requestID: w.Header().Get(headerRequestID), header: w.Header()}
	if !requestIDSyntax.MatchString(c.requestID) {
		c.requestID = h.requestID(r)
		c.header.Set(headerRequestID, c.requestID)
	}
	a := h.answerTo(c, err)
	h.record(r.Context(), c, a.status, err)
	a.write(w, r.Method)
}

// answerTo is the answer that an error asks for itself, or that of the table. The cause of an *Error has no say in it.
func (h *Handler) answerTo(c *call, err error) answer {
	var own *Error
	if !errors.As(err, &own) || own.Status < http.StatusBadRequest || http.StatusText(own.Status) == "" {
		return h.failed(c, err)
	}
	row := failure{status: own.Status, text: own.Message}
	if own.RetryAfter > 0 {
		row.retryAfter = wholeSeconds(own.RetryAfter)
	}
	details := make([]fieldDetail, len(own.Details))
	for i, f := range own.Details {
		details[i] = fieldDetail{Field: f.Field, Message: f.Message}
	}
	return h.uniform(c, row, details, nil)
}
