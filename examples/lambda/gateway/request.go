package gateway

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"

	"github.com/usercore-go/usercore/httpapi"
)

// request is the event as a server would hand it to a handler.
func (e *event) request(ctx context.Context, basePath string) (*http.Request, error) {
	body, err := e.body()
	if err != nil {
		return nil, err
	}
	if claims := e.claims(); claims != nil {
		ctx = httpapi.WithClaims(ctx, claims)
	}
	u := e.url(basePath)
	r := (&http.Request{
		Method: e.method(), URL: u, RequestURI: u.RequestURI(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: e.header(), Body: http.NoBody, ContentLength: int64(len(body)),
		RemoteAddr: net.JoinHostPort(e.sourceIP(), "0"),
	}).WithContext(ctx)
	if len(body) > 0 {
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.Host = r.Header.Get("Host")
	if r.Host == "" {
		r.Host = e.RequestContext.DomainName
	}
	r.Header.Del("Host") // as net/http's server does
	return r, nil
}
