package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
)

var (
	errMediaType = errors.New("the request body is not application/json")
	errTooLarge  = errors.New("the request body is too large")
	errUnread    = errors.New("the request body could not be read")
)

// readBody returns the body of a request to a route that takes one. It returns errMediaType, errTooLarge and errUnread.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if !sendsJSON(r.Header) {
		return nil, errMediaType
	}
	if r.ContentLength > limit {
		drain(r)
		return nil, errTooLarge
	}
	body, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, errTooLarge
	case err != nil:
		return nil, errUnread
	}
	return body, nil
}

// drain reads a body that is not wanted up to its limit. The server then knows that there is more and keeps the connection until the client
// had time to read the answer, where it would else reset it. A client that asks with "Expect: 100-continue" has sent nothing and is not
// made to.
func drain(r *http.Request) {
	if r.Header.Get("Expect") == "" {
		// It ends with the limit, or with a client that has gone: the answer is the same.
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// sendsJSON says whether the headers describe a body of JSON in UTF-8 that is not compressed.
func sendsJSON(h http.Header) bool {
	if len(h.Values("Content-Type")) != 1 || h.Get("Content-Encoding") != "" {
		return false
	}
	mediaType, parameters, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return false
	}
	charset, ok := parameters["charset"]
	return !ok || strings.EqualFold(charset, "utf-8")
}
