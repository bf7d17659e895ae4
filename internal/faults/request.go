package faults

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// request is one DynamoDB request with its body read.
type request struct {
	http *http.Request
	// op is the operation, such as "PutItem".
	op   string
	body []byte
}

// operation returns the operation that the request's target names ("DynamoDB_20120810.PutItem"), or "" if it names none.
func operation(req *http.Request) string {
	_, op, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	return op
}

// readRequest reads and closes the body, which a RoundTripper must do in every case.
func readRequest(req *http.Request) (*request, error) {
	r := &request{http: req, op: operation(req)}
	if req.Body == nil {
		return r, nil
	}
	body, err := io.ReadAll(req.Body)
	if err := errors.Join(err, req.Body.Close()); err != nil {
		return nil, fmt.Errorf("faults: read the body of %s: %w", r.op, err)
	}
	r.body = body
	return r, nil
}

// withBody returns a copy of the HTTP request with the body. A RoundTripper must leave the original as it is.
func (r *request) withBody(body []byte) *http.Request {
	req := r.http.Clone(r.http.Context())
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body = io.NopCloser(bytes.NewReader(body))
	return req
}

// actions returns how many actions the transaction has, and 0 for any other operation and for a body that is not of the protocol.
func (r *request) actions() int {
	if r.op != "TransactWriteItems" && r.op != "TransactGetItems" {
		return 0
	}
	var input struct{ TransactItems []json.RawMessage }
	if err := json.Unmarshal(r.body, &input); err != nil {
		return 0
	}
	return len(input.TransactItems)
}
