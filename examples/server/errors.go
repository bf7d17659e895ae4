package main

import (
	"errors"
	"net/http"
	"time"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/userstore"
)

var errBusUnavailable = errors.New("the bus does not answer: a planted fault")

// The texts are those of the API.
const (
	textInvalidBody = "Invalid request body"
	textUnavailable = "Service is temporarily unavailable. Please try again."
)

// asAnswer gives an error that the API never answers an answer of its own. What else a path beside the API returns is answered as in the API;
// see httpapi.Handler.WriteError.
func asAnswer(err error) error {
	if errors.Is(err, userstore.ErrStatus) {
		return &httpapi.Error{Status: http.StatusConflict, Message: "Account is deleted", Err: err}
	}
	return err
}

func methodNotAllowed() error {
	return &httpapi.Error{Status: http.StatusMethodNotAllowed, Message: "Method not allowed"}
}

func wrongMediaType() error {
	return &httpapi.Error{Status: http.StatusUnsupportedMediaType, Message: "Content-Type must be application/json"}
}

func bodyTooLarge() error {
	return &httpapi.Error{Status: http.StatusRequestEntityTooLarge, Message: "Request body is too large"}
}

// badBody says that a body is not what the path takes, and for which fields, if it is for fields.
func badBody(fields ...userstore.FieldError) error {
	return &httpapi.Error{Status: http.StatusBadRequest, Message: textInvalidBody, Details: fields}
}

func refuse(field, message string) error {
	return badBody(userstore.FieldError{Field: field, Message: message})
}

func notReady(cause error) error {
	return &httpapi.Error{Status: http.StatusServiceUnavailable, Message: textUnavailable, RetryAfter: time.Second, Err: cause}
}
