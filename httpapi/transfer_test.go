package httpapi_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	for contentType, status := range map[string]int{
		"application/json":                     http.StatusOK,
		"Application/JSON":                     http.StatusOK,
		"application/json;charset=UTF-8":       http.StatusOK,
		`application/json; charset="utf-8"`:    http.StatusOK,
		"application/json; charset=iso-8859-1": http.StatusUnsupportedMediaType,
		"application/merge-patch+json":         http.StatusUnsupportedMediaType,
		"application/x-www-form-urlencoded":    http.StatusUnsupportedMediaType,
		"json":                                 http.StatusUnsupportedMediaType,
		";":                                    http.StatusUnsupportedMediaType,
		"":                                     http.StatusUnsupportedMediaType,
	} {
		a := f.call("john", "PUT", "/v1/users/me", `{}`, "Content-Type", "", "Content-Type", contentType)
		require.Equal(t, status, a.status, contentType)
	}
	twice := f.call("john", "PUT", "/v1/users/me", `{}`, "Content-Type", "text/plain")
	require.Equal(t, http.StatusUnsupportedMediaType, twice.status)
	compressed := f.call("john", "PUT", "/v1/users/me", `{}`, "Content-Encoding", "gzip")
	require.Equal(t, http.StatusUnsupportedMediaType, compressed.status)
	ignored := f.call("john", "POST", emailPath(f.add("john", "a@example.com"))+"/verify", `not json`, "Content-Type", "", "Content-Type", "text/plain")
	require.Equal(t, http.StatusOK, ignored.status, "a route without a body ignores it")
}

// unread is a body that must not be read.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// counting is a body without end.
type counting struct{ read int }

func (c *counting) Read(p []byte) (int, error) {
	c.read += len(p)
	return len(p), nil
}

func TestBodySizes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	body := func(size int) string { return "{" + strings.Repeat(" ", size-2) + "}" }

	require.Equal(t, http.StatusOK, f.call("john", "PUT", "/v1/users/me", body(1<<16)).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, f.call("john", "PUT", "/v1/users/me", body(1<<16+1)).status)

	announced := newRequest("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json", "Expect", "100-continue")
	announced.Body, announced.ContentLength = io.NopCloser(unread{t}), 1<<16+1
	require.Equal(t, http.StatusRequestEntityTooLarge, f.send(announced).status)

	sent := &counting{}
	announced = newRequest("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json")
	announced.Body, announced.ContentLength = io.NopCloser(sent), 1<<30
	require.Equal(t, http.StatusRequestEntityTooLarge, f.send(announced).status)
	require.Equal(t, 1<<16+1, sent.read, "read to the limit, so that the client hears the answer, and no further")

	for size, status := range map[int]int{1 << 16: http.StatusOK, 1<<16 + 1: http.StatusRequestEntityTooLarge} {
		chunked := newRequest("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json")
		chunked.Body, chunked.ContentLength = io.NopCloser(strings.NewReader(body(size))), -1
		require.Equal(t, status, f.send(chunked).status)
	}
}

// broken is a body whose client goes away.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := newRequest("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json")
	r.Body = io.NopCloser(broken{})
	require.Equal(t, http.StatusBadRequest, f.send(r).status)

	none := newRequest("john", "PUT", "/v1/users/me", "", "Content-Type", "application/json")
	none.Body = nil
	require.Equal(t, http.StatusBadRequest, f.send(none).status)
}

// TestTooLargeOverASocket: the client gets the answer, whether it sends the body at once or asks first.
func TestTooLargeOverASocket(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	server := httptest.NewServer(f.handler)
	t.Cleanup(server.Close)
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	for _, expect := range []string{"", "100-continue"} {
		var body io.Reader = bytes.NewReader(bytes.Repeat([]byte{' '}, 4<<20))
		header := http.Header{"Authorization": {"Bearer john"}, "Content-Type": {"application/json"}}
		if expect != "" {
			body = io.LimitReader(unread{t}, 4<<20)
			header.Set("Expect", expect)
		}
		r, err := http.NewRequestWithContext(t.Context(), "PUT", server.URL+"/v1/users/me", body)
		require.NoError(t, err)
		r.ContentLength = 4 << 20
		r.Header = header
		answer, err := transport.RoundTrip(r)
		require.NoError(t, err)
		require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
		require.NoError(t, answer.Body.Close())
	}
}
