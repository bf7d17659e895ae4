package httpapi

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

// errorBody is the body of every answer of 400 and above.
type errorBody struct {
	StatusCode int           `json:"statusCode"`
	Error      string        `json:"error"`
	Message    string        `json:"message"`
	Details    []fieldDetail `json:"details,omitempty"`
	RetryAfter int64         `json:"retryAfter,omitempty"` // seconds, as in the header
	RequestID  string        `json:"requestId"`
}

// fieldDetail is one field of the request body that was refused.
type fieldDetail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// bodyError says what is wrong with a request body as such.
type bodyError struct {
	message string
	details []fieldDetail
}

// Error does not repeat the names of fields: the client may have sent anything.
func (e *bodyError) Error() string { return errBody.Error() + ": " + e.message }

func (e *bodyError) Unwrap() error { return errBody }

func (e *bodyError) add(field, message string) {
	e.details = append(e.details, fieldDetail{Field: field, Message: message})
}

// withValues joins what is wrong with the form of a body and with the values in it, so that one answer names all fields.
func withValues(form, values error) error {
	var (
		body    *bodyError
		invalid *userstore.ValidationError
	)
	switch {
	case form == nil:
		return values
	case !errors.As(form, &body) || !errors.As(values, &invalid):
		return form
	}
	joined := *body
	for _, f := range invalid.Fields {
		named := slices.ContainsFunc(body.details, func(d fieldDetail) bool { return d.Field == f.Field })
		if !named {
			joined.add(f.Field, f.Message)
		}
	}
	return &joined
}

// failed is the answer to a request that ended with an error: the row of the table, and what the error itself knows.
func (h *Handler) failed(c *call, err error) answer {
	row := find(h.failures, err)
	if c.route != nil && ofIdentity(err) {
		row = find(h.failures, userstore.ErrNotFound)
	}
	var details []fieldDetail
	if row.status == http.StatusBadRequest {
		row.text, details = refusedFields(err, row.text)
	}
	return h.uniform(c, row, details, err)
}

// uniform is the answer of a row in the one form of errors, with what an error knows of limits and waiting.
func (h *Handler) uniform(c *call, row failure, details []fieldDetail, err error) answer {
	body := errorBody{
		StatusCode: row.status, Error: http.StatusText(row.status), Message: row.text, Details: details,
		RetryAfter: row.retryAfter, RequestID: c.requestID,
	}
	header := http.Header{}
	if row.status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", challenge(c.request))
	}
	now := h.cfg.Now()
	if limit, ok := limitOf(err, now); ok {
		setQuota(header, limit, now)
		if !limit.Allowed {
			body.RetryAfter = wholeSeconds(limit.RetryAfter)
			body.Message += " Try again in " + inMinutes(body.RetryAfter) + "."
		}
	}
	var unavailable *UnavailableError
	if errors.As(err, &unavailable) {
		body.RetryAfter = wholeSeconds(unavailable.RetryAfter)
	}
	if body.RetryAfter > 0 {
		header.Set("Retry-After", strconv.FormatInt(body.RetryAfter, 10))
	}
	return answer{status: row.status, header: header, body: encode(body)}
}

// ofIdentity says whether what was refused is the user id of the token: no account can have it.
func ofIdentity(err error) bool {
	var invalid *userstore.ValidationError
	return errors.As(err, &invalid) &&
		slices.ContainsFunc(invalid.Fields, func(f userstore.FieldError) bool { return f.Field == "userId" })
}

// refusedFields is the text and the details of an answer of 400.
func refusedFields(err error, text string) (string, []fieldDetail) {
	var malformed *bodyError
	if errors.As(err, &malformed) {
		return malformed.message, malformed.details
	}
	var invalid *userstore.ValidationError
	if !errors.As(err, &invalid) {
		return text, nil
	}
	details := make([]fieldDetail, len(invalid.Fields))
	for i, f := range invalid.Fields {
		details[i] = fieldDetail{Field: f.Field, Message: f.Message}
		// The bodies with these two fields have no others.
		switch f.Field {
		case fieldEmail:
			text = "Invalid email format"
			details[i].Message = text
		case fieldCode:
			text = textInvalidCode
		}
	}
	return text, details
}

// challenge is WWW-Authenticate of an answer of 401 (RFC 6750, section 3): an error code only for a request that tried.
func challenge(r *http.Request) string {
	if r.Header.Get("Authorization") == "" {
		return "Bearer"
	}
	return `Bearer error="invalid_token"`
}

// limitOf is the state of the limit that an error comes from, if it comes from one.
func limitOf(err error, now time.Time) (ratelimit.Decision, bool) {
	var (
		general  *limitedError
		sends    *emails.LimitError
		attempts *emails.TooManyAttemptsError
		wrong    *emails.WrongCodeError
	)
	switch {
	case errors.As(err, &general):
		return general.decision, true
	case errors.As(err, &sends):
		return sends.Decision, true
	case errors.As(err, &attempts):
		return ratelimit.Decision{Limit: attempts.Limit, RetryAfter: attempts.RetryAfter, ResetAfter: attempts.RetryAfter}, true
	case errors.As(err, &wrong):
		left := ratelimit.Decision{Allowed: true, Limit: wrong.Limit, Remaining: wrong.AttemptsLeft, ResetAfter: wrong.ExpiresAt.Sub(now)}
		return left, true
	}
	return ratelimit.Decision{}, false
}
