package main

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/userstore"
)

// endpoint answers a request, or says why not with an error of errors.go or one that the API answers.
type endpoint func(r *http.Request) (answer, error)

// methods answers one path beside the API: GET, which answers HEAD too, or POST. OPTIONS answers what there is.
type methods struct {
	get, post endpoint
	api       *httpapi.Handler
}

var requestIDSyntax = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// ServeHTTP answers in the API's forms.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	requestID := r.Header.Get("X-Request-Id")
	if !requestIDSyntax.MatchString(requestID) {
		requestID = "req-" + rand.Text()
	}
	w.Header().Set("X-Request-Id", requestID)
	r = r.WithContext(userstore.WithRequestID(r.Context(), requestID))
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)

	a, err := m.answer(w.Header(), r)
	if err != nil {
		m.api.WriteError(w, r, asAnswer(err))
		return
	}
	a.write(w)
}

func (m methods) answer(header http.Header, r *http.Request) (answer, error) {
	var found endpoint
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		found = m.get
	case http.MethodPost:
		found = m.post
	case http.MethodOptions:
		header.Set("Allow", m.allow())
		return noContent(), nil
	}
	if found == nil {
		header.Set("Allow", m.allow())
		return answer{}, methodNotAllowed()
	}
	return found(r)
}

func (m methods) allow() string {
	if m.get != nil {
		return "GET, HEAD, OPTIONS"
	}
	return "OPTIONS, POST"
}

// isClean says whether a mux takes the path as it was sent, without a redirect to another form.
func isClean(u *url.URL) bool {
	sent := u.EscapedPath()
	return sent == "/" || strings.HasPrefix(sent, "/") && path.Clean(sent) == sent
}
