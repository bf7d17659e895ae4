package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is the answer to a request beside the API: a status, and a document or a value that becomes its JSON body; nil for none.
type answer struct {
	status int
	body   any
}

// document is a body that is not JSON.
type document struct {
	contentType string
	text        []byte
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
	body, ready := a.body.(document)
	if !ready {
		body = asJSON(a.body)
	}
	header.Set("Content-Type", body.contentType)
	header.Set("Content-Length", strconv.Itoa(len(body.text)))
	w.WriteHeader(a.status)
	_, _ = w.Write(body.text) // fails when the client has gone: nobody is left to be told
}

func asJSON(value any) document {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // the shapes of this program hold nothing that JSON cannot
	return document{contentType: "application/json", text: bytes.TrimSuffix(body.Bytes(), []byte("\n"))}
}
