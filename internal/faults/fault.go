package faults

import (
	"errors"
	"io"
	"net/http"
)

// Fault is something that goes wrong with one request. The types of this package are all there are.
type Fault interface {
	// Kind is the name of the type: the key in Counts.
	Kind() string
	// applies reports whether the fault can happen to the request.
	applies(r *request) bool
	// inject answers the request. It calls send, at most once, if the engine is to execute it.
	inject(r *request, send func(body []byte) (*http.Response, error)) (*http.Response, error)
}

// Throttle refuses the request for its rate: status 400, ProvisionedThroughputExceededException. The SDK repeats it.
type Throttle struct {
	// Account makes it ThrottlingException, the code that does not speak of a table's provisioned throughput.
	Account bool
}

// Kind returns "Throttle".
func (Throttle) Kind() string { return "Throttle" }

func (Throttle) applies(*request) bool { return true }

func (f Throttle) inject(r *request, _ func([]byte) (*http.Response, error)) (*http.Response, error) {
	if f.Account {
		return r.refuse(http.StatusBadRequest, "ThrottlingException", "Rate of requests exceeds the allowed throughput.")
	}
	return r.refuse(http.StatusBadRequest, "ProvisionedThroughputExceededException",
		"The level of configured provisioned throughput for the table was exceeded.")
}

// Internal fails the request with status 500, InternalServerError, before the engine executes it. The SDK repeats it.
type Internal struct{}

// Kind returns "Internal".
func (Internal) Kind() string { return "Internal" }

func (Internal) applies(*request) bool { return true }

func (Internal) inject(r *request, _ func([]byte) (*http.Response, error)) (*http.Response, error) {
	return r.refuse(http.StatusInternalServerError, "InternalServerError", "Internal server error")
}

// LoseRequest breaks the connection before the request reaches the engine. The SDK repeats it.
type LoseRequest struct{}

// Kind returns "LoseRequest".
func (LoseRequest) Kind() string { return "LoseRequest" }

func (LoseRequest) applies(*request) bool { return true }

func (LoseRequest) inject(*request, func([]byte) (*http.Response, error)) (*http.Response, error) {
	return nil, io.ErrUnexpectedEOF
}

// LoseReply lets the engine execute the request and breaks the connection after that, so that the client does not learn the outcome.
// The SDK repeats it: a conditional write may then fail on its own effect.
type LoseReply struct{}

// Kind returns "LoseReply".
func (LoseReply) Kind() string { return "LoseReply" }

func (LoseReply) applies(*request) bool { return true }

func (LoseReply) inject(r *request, send func([]byte) (*http.Response, error)) (*http.Response, error) {
	reply, err := send(r.body)
	if err != nil {
		return nil, err
	}
	// Read to the end, or an engine behind a socket may see its client leave and give up what it has begun.
	_, err = io.Copy(io.Discard, reply.Body)
	if err := errors.Join(err, reply.Body.Close()); err != nil {
		return nil, err
	}
	return nil, io.ErrUnexpectedEOF
}
