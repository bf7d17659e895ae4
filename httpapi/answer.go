package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is what a request is answered with. Handlers return one and never write themselves, so whatever happens before the end, an error
// or a panic, can still be answered as what it is.
type answer struct {
	status int
	// header is what the answer has beside the headers of every answer.
	header http.Header
	// body is JSON; nil for none.
	body []byte
}

// reply is an answer with a value as its body.
func reply(status int, value any) answer {
	return answer{status: status, header: http.Header{}, body: encode(value)}
}

// with adds a header.
func (a answer) with(name, value string) answer {
	a.header.Set(name, value)
	return a
}

// encode is a shape of this package as compact JSON, with <, > and & as they are and without a line break at the end.
func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	// The shapes hold strings, numbers and times, and a buffer takes all: there is no error.
	_ = encoder.Encode(value)
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// write sends the answer. A HEAD request gets the headers only.
func (a answer) write(w http.ResponseWriter, method string) {
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if a.body != nil {
		header.Set("Content-Type", "application/json")
		header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	w.WriteHeader(a.status)
	if a.body != nil && method != http.MethodHead {
		// An error here is a client that has gone: nobody is left to be told.
		_, _ = w.Write(a.body)
	}
}
