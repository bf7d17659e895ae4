package memdynamo

import (
	"errors"
	"fmt"
	"net/http"
)

// Namespaces that the service puts before the name of an exception. The SDK drops them; other clients print them.
const (
	serviceErrors    = "com.amazonaws.dynamodb.v20120810#"
	validationErrors = "com.amazon.coral.validate#"
	protocolErrors   = "com.amazon.coral.service#"
)

// Exceptions that are told apart inside the engine.
const (
	codeConditionFailed = serviceErrors + "ConditionalCheckFailedException"
	codeCancelled       = serviceErrors + "TransactionCanceledException"
	codeValidation      = validationErrors + "ValidationException"
)

// apiError is an error as the API answers it.
type apiError struct {
	code    string // with its namespace
	message string
	status  int
	old     item                 // ConditionalCheckFailedException: the item found, when ALL_OLD was asked for
	reasons []cancellationReason // TransactionCanceledException: one per action, in order
}

// cancellationReason says what became of one action of a cancelled transaction.
type cancellationReason struct {
	code    string // "None" when the action itself was fine
	message string
	old     item
}

func (e *apiError) Error() string { return e.code + ": " + e.message }

func newError(code, format string, args ...any) *apiError {
	return &apiError{code: code, message: fmt.Sprintf(format, args...), status: http.StatusBadRequest}
}

// invalid is the ValidationException, the answer to every request that is wrong in itself.
func invalid(format string, args ...any) *apiError {
	return newError(codeValidation, format, args...)
}

// invalidValue is the ValidationException with the service's usual lead-in for a bad parameter value.
func invalidValue(format string, args ...any) *apiError {
	return invalid("One or more parameter values were invalid: "+format, args...)
}

func malformed(format string, args ...any) *apiError {
	return newError(protocolErrors+"SerializationException", format, args...)
}

func tableNotFound(name string) *apiError {
	return newError(serviceErrors+"ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
}

func conditionFailed(old item) *apiError {
	err := newError(codeConditionFailed, "The conditional request failed")
	err.old = old
	return err
}

// is reports whether an error has the code.
func is(err error, code string) bool {
	var api *apiError
	return errors.As(err, &api) && api.code == code
}

// writeError writes the body of an error answer.
func (w *jsonWriter) writeError(err *apiError) {
	w.beginObject()
	w.name("__type").str(err.code)
	// The service spells the member differently in this one exception.
	if err.code == codeCancelled {
		w.name("Message").str(err.message)
		w.name("CancellationReasons").beginArray()
		for _, reason := range err.reasons {
			w.cancellationReason(reason)
		}
		w.endArray()
	} else {
		w.name("message").str(err.message)
	}
	if err.old != nil {
		w.name("Item").attributes(err.old)
	}
	w.endObject()
}

func (w *jsonWriter) cancellationReason(reason cancellationReason) {
	w.beginObject()
	w.name("Code").str(reason.code)
	if reason.message != "" {
		w.name("Message").str(reason.message)
	}
	if reason.old != nil {
		w.name("Item").attributes(reason.old)
	}
	w.endObject()
}
