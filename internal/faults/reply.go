package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const (
	contentType = "application/x-amz-json-1.0"
	// errorSpace is the name space of the error codes in the protocol.
	errorSpace = "com.amazonaws.dynamodb.v20120810#"
)

// refuse answers the request with an error of the API in place of the engine.
func (r *request) refuse(status int, code, message string) (*http.Response, error) {
	return r.answer(status, struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{errorSpace + code, message})
}

// answer replies to the request with a JSON document in place of the engine.
func (r *request) answer(status int, document any) (*http.Response, error) {
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("faults: encode the reply to %s: %w", r.op, err)
	}
	reply := &http.Response{
		StatusCode: status,
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"Content-Type": {contentType}},
		Request:    r.http,
	}
	setBody(reply, body)
	return reply, nil
}

// setBody gives the reply a body. What the engine said about its own body, length and checksum, is dropped: the SDK checks a checksum
// only if there is one.
func setBody(reply *http.Response, body []byte) {
	reply.Header.Del("X-Amz-Crc32")
	reply.Header.Del("Content-Length")
	reply.ContentLength = int64(len(body))
	reply.Body = io.NopCloser(bytes.NewReader(body))
}
