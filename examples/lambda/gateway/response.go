package gateway

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"unicode/utf8"
)

// answer holds what a handler writes, by the rules of http.ResponseWriter.
type answer struct {
	header http.Header
	status int         // 0 until it is sent
	sent   http.Header // as it was when the status was sent
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}} }

// Header is the header to be sent; changes after WriteHeader do nothing.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader sends the status. The first one counts, except for informational ones, which Lambda cannot send.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK {
		a.status, a.sent = status, a.header.Clone()
	}
}

// Write adds to the body, after status 200 if none was sent.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// finish is the answer as net/http's server would send it.
func (a *answer) finish(method string) (int, http.Header, []byte) {
	a.WriteHeader(http.StatusOK)
	body := a.body.Bytes()
	if len(body) > 0 && a.sent.Get("Content-Type") == "" {
		a.sent.Set("Content-Type", http.DetectContentType(body))
	}
	if method == http.MethodHead || a.status == http.StatusNoContent || a.status == http.StatusNotModified {
		body = nil
	}
	return a.status, a.sent, body
}

// response is the answer in the format of the event: 1.0 wants every value of a header, 2.0 joined values and cookies beside them.
type response struct {
	StatusCode        int                 `json:"statusCode"`
	Headers           map[string]string   `json:"headers,omitempty"`
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"`
	Cookies           []string            `json:"cookies,omitempty"`
	Body              string              `json:"body"`
	IsBase64Encoded   bool                `json:"isBase64Encoded"`
}

func (e *event) response(status int, header http.Header, body []byte) response {
	out := response{StatusCode: status, Body: string(body)}
	if !utf8.Valid(body) || header.Get("Content-Encoding") != "" {
		out.Body, out.IsBase64Encoded = base64.StdEncoding.EncodeToString(body), true
	}
	if !e.isV2() {
		out.MultiValueHeaders = header
		return out
	}
	out.Headers = make(map[string]string, len(header))
	for name, values := range header {
		if name == "Set-Cookie" { // cannot be joined: RFC 6265, section 3
			out.Cookies = values
			continue
		}
		out.Headers[name] = strings.Join(values, ", ")
	}
	return out
}
