package main

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/usercore-go/usercore/userstore"
)

var (
	errBusUnavailable = errors.New("the bus does not answer: a planted fault")
	errMethod         = errors.New("the path does not have this method")
	errMediaType      = errors.New("the body is not application/json")
	errTooLarge       = errors.New("the body is too large")
	errBody           = errors.New("the body is not what the path takes")
	errNotReady       = errors.New("the table cannot be read")
)

// errorBody is the API's form of an error.
type errorBody struct {
	StatusCode int           `json:"statusCode"`
	Error      string        `json:"error"`
	Message    string        `json:"message"`
	Details    []fieldDetail `json:"details,omitempty"`
	RetryAfter int           `json:"retryAfter,omitempty"` // seconds, as in the header
	RequestID  string        `json:"requestId"`
}

// fieldDetail is one field of the body that was refused.
type fieldDetail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// failure is how an error is answered.
type failure struct {
	err     error
	status  int
	message string
}

const (
	textInvalidBody = "Invalid request body"
	textInternal    = "Internal server error"
	textUnavailable = "Service is temporarily unavailable. Please try again."
)

// failures is the table from errors to answers; the first row that matches counts.
func failures() []failure {
	return []failure{
		{errMethod, http.StatusMethodNotAllowed, "Method not allowed"},
		{errMediaType, http.StatusUnsupportedMediaType, "Content-Type must be application/json"},
		{errTooLarge, http.StatusRequestEntityTooLarge, "Request body is too large"},
		{errBody, http.StatusBadRequest, textInvalidBody},
		{userstore.ErrInvalid, http.StatusBadRequest, textInvalidBody},
		{userstore.ErrNotFound, http.StatusNotFound, "User not found"},
		{userstore.ErrTaken, http.StatusConflict, "Email address is not available"},
		{userstore.ErrStatus, http.StatusConflict, "Account is deleted"},
		{errNotReady, http.StatusServiceUnavailable, textUnavailable},
		{userstore.ErrContention, http.StatusServiceUnavailable, textUnavailable},
		{userstore.ErrOutcomeUnknown, http.StatusServiceUnavailable, textUnavailable},
		{context.DeadlineExceeded, http.StatusServiceUnavailable, textUnavailable},
		{context.Canceled, http.StatusServiceUnavailable, textUnavailable},
	}
}

// failed is the answer to a request that ended with an error. One that stands in no row is a fault: the client learns no more.
func failed(err error, requestID string) answer {
	row := failure{status: http.StatusInternalServerError, message: textInternal}
	table := failures()
	if i := slices.IndexFunc(table, func(f failure) bool { return errors.Is(err, f.err) }); i >= 0 {
		row = table[i]
	}
	body := errorBody{
		StatusCode: row.status, Error: http.StatusText(row.status), Message: row.message, Details: details(err), RequestID: requestID,
	}
	if row.status == http.StatusServiceUnavailable {
		body.RetryAfter = 1
	}
	return answer{status: row.status, body: body, retryAfter: body.RetryAfter}
}

// details are the fields that an error names.
func details(err error) []fieldDetail {
	var body *bodyError
	if errors.As(err, &body) {
		return body.details
	}
	var invalid *userstore.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	var all []fieldDetail
	for _, field := range invalid.Fields {
		all = append(all, fieldDetail{Field: field.Field, Message: field.Message})
	}
	return all
}
