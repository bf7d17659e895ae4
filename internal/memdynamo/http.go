package memdynamo

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
)

const contentType = "application/x-amz-json-1.0"

// ServeHTTP answers the AWS JSON 1.0 protocol, for any client on any path. Signatures are not checked: every credential
// is accepted.
func (db *DB) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	status, answer := db.respond(req.Method, req.Header, http.MaxBytesReader(rw, req.Body, maxRequest))
	db.setHeader(rw.Header(), answer)
	rw.WriteHeader(status)
	// The client has gone if this fails; there is nobody to tell.
	_, _ = rw.Write(answer)
}

func (db *DB) respond(method string, header http.Header, body io.Reader) (status int, answer []byte) {
	if method != http.MethodPost {
		err := newError(protocolErrors+"UnknownOperationException", "the protocol uses POST, not %s", method)
		err.status = http.StatusMethodNotAllowed
		return failure(err)
	}
	content, err := io.ReadAll(body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		api := newError(serviceErrors+"RequestEntityTooLargeException", "the request has more than %d bytes", maxRequest)
		api.status = http.StatusRequestEntityTooLarge
		return failure(api)
	}
	if err != nil {
		return failure(malformed("the request could not be read"))
	}
	return db.serve(header.Get("X-Amz-Target"), content)
}

// setHeader sets what the SDK looks at: the checksum, which it verifies, and the request id, which it hands to its caller.
func (db *DB) setHeader(header http.Header, answer []byte) {
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(answer)))
	header.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(answer)), 10))
	header.Set("X-Amzn-Requestid", "memdynamo-"+strconv.FormatUint(db.requests.Add(1), 10))
}

// Transport returns a round tripper that hands requests to the engine without a socket, whatever their host. It may be
// wrapped, for instance to inject faults, and set as the HTTP client of an SDK client.
func (db *DB) Transport() http.RoundTripper { return transport{db} }

type transport struct{ db *DB }

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body := req.Body
	if body == nil {
		body = http.NoBody
	}
	defer body.Close()
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	status, answer := t.db.respond(req.Method, req.Header, http.MaxBytesReader(nil, body, maxRequest))
	header := make(http.Header, 4)
	t.db.setHeader(header, answer)
	return &http.Response{
		Status:        strconv.Itoa(status) + " " + http.StatusText(status),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        header,
		Body:          io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)),
		Request:       req,
	}, nil
}
