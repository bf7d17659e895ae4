package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is the answer to a request beside the API: a status, and a value that becomes its JSON body; nil for none.
type answer struct {
	status int
	body   any
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

func noContent() answer { return answer{status: http.StatusNoContent} }

// write sends the answer with the headers that the API's answers have. The server drops the body of an answer to HEAD.
func (a answer) write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(a.body) // the shapes of this program hold nothing that JSON cannot
	text := bytes.TrimSuffix(body.Bytes(), []byte("\n"))
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(a.status)
	_, _ = w.Write(text) // fails when the client has gone: nobody is left to be told
}
