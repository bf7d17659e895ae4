package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

var (
	errNoRoute  = errors.New("no route has this path")
	errMethod   = errors.New("the path does not have this method")
	errNoSuchID = errors.New("the id has a form that no id has")
	errBody     = errors.New("the request body is not what the route takes")
	errLimited  = errors.New("the general limit of the user is reached")
	errJudge    = errors.New("credentials cannot be judged at the moment")
)

// Texts that stand in more than one place, or that are long.
const (
	textInvalidBody = "Invalid request body"
	textInvalidCode = "Invalid or expired verification code"
	textUnavailable = "Service is temporarily unavailable. Please try again."
	textInternal    = "Internal server error"
	textNotSent     = "Verification code could not be sent. Please try again later."
	textNoEmail     = "Email not found"
)

// failure is how an error is answered.
type failure struct {
	err    error
	status int
	text   string
	// retryAfter is in seconds; 0 when the error says itself, or when waiting does not help.
	retryAfter int64
}

// failures is the table from errors to answers; the first row that matches counts. What stands in no row is a fault: 500, and the client is
// told no more.
//
// An error of a change may wrap the end of the context as its cause, so the rows of the context come last.
func failures() []failure {
	const soon = 1
	return []failure{
		{err: errNoRoute, status: http.StatusNotFound, text: "Not found"},
		{err: errMethod, status: http.StatusMethodNotAllowed, text: "Method not allowed"},
		{err: errJudge, status: http.StatusServiceUnavailable, text: textUnavailable},
		{err: ErrUnauthenticated, status: http.StatusUnauthorized, text: "Missing or invalid access token"},
		{err: errLimited, status: http.StatusTooManyRequests, text: "Too many requests."},
		{err: errLimiter, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
		{err: errCutOff, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},

		{err: errMediaType, status: http.StatusUnsupportedMediaType, text: "Content-Type must be application/json"},
		{err: errTooLarge, status: http.StatusRequestEntityTooLarge, text: "Request body is too large"},
		{err: errUnread, status: http.StatusBadRequest, text: "Request body could not be read"},
		{err: errIfMatch, status: http.StatusBadRequest, text: "Invalid If-Match header"},
		{err: errBody, status: http.StatusBadRequest, text: textInvalidBody},
		{err: userstore.ErrInvalid, status: http.StatusBadRequest, text: textInvalidBody},

		// A Sender's error may wrap anything, so this row comes before all others of the stores.
		{err: emails.ErrSend, status: http.StatusServiceUnavailable, text: textNotSent, retryAfter: 60},
		{err: userstore.ErrNotFound, status: http.StatusNotFound, text: "User not found"},
		{err: userstore.ErrNotActive, status: http.StatusForbidden, text: "Account is not active"},
		{err: userstore.ErrVersionConflict, status: http.StatusConflict, text: "Resource was modified. Please refresh and try again."},

		{err: errNoSuchID, status: http.StatusNotFound, text: textNoEmail},
		{err: emails.ErrNotFound, status: http.StatusNotFound, text: textNoEmail},
		{err: emails.ErrTooMany, status: http.StatusTooManyRequests, text: "Too many email addresses. Remove one before adding another."},
		{err: emails.ErrTaken, status: http.StatusConflict, text: "Email address is not available"},
		{err: emails.ErrLimited, status: http.StatusTooManyRequests, text: "Verification limit reached."},
		{err: emails.ErrAlreadyVerified, status: http.StatusBadRequest, text: "Email is already verified"},
		{err: emails.ErrNoCode, status: http.StatusBadRequest, text: textInvalidCode},
		{err: emails.ErrCodeExpired, status: http.StatusBadRequest, text: textInvalidCode},
		{err: emails.ErrWrongCode, status: http.StatusBadRequest, text: textInvalidCode},
		{err: emails.ErrTooManyAttempts, status: http.StatusTooManyRequests, text: "Too many verification attempts."},
		{err: emails.ErrNotVerified, status: http.StatusBadRequest, text: "Email must be verified before setting as primary"},
		{err: emails.ErrLast, status: http.StatusBadRequest, text: "Cannot delete last email. Account must have at least one email."},
		{err: emails.ErrPrimary, status: http.StatusBadRequest, text: "Cannot delete primary email. Set another email as primary first."},

		{err: userstore.ErrCorrupt, status: http.StatusInternalServerError, text: textInternal},
		{err: userstore.ErrContention, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
		{err: userstore.ErrUnavailable, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
		{err: userstore.ErrOutcomeUnknown, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
		{err: context.DeadlineExceeded, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
		{err: context.Canceled, status: http.StatusServiceUnavailable, text: textUnavailable, retryAfter: soon},
	}
}

// find is the row of an error.
func find(table []failure, err error) failure {
	for _, row := range table {
		if errors.Is(err, row.err) {
			return row
		}
	}
	return failure{status: http.StatusInternalServerError, text: textInternal}
}
