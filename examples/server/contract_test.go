package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
	"github.com/stretchr/testify/assert"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
)

// contract is the OpenAPI document that the server serves.
type contract struct {
	validator  validator.Validator
	operations []operation
}

// operation is a method and path of the document, with the statuses that it may answer.
type operation struct {
	method   string
	path     string // with the prefix of its server
	statuses []string
}

// theContract reads the document once for all tests.
var theContract = sync.OnceValue(func() *contract {
	text, err := servedDocument()
	if err != nil {
		panic(err)
	}
	c, err := newContract(text)
	if err != nil {
		panic(err)
	}
	return c
})

// servedDocument is what GET /openapi.json answers.
func servedDocument() ([]byte, error) {
	keys, err := someKeys()
	if err != nil {
		return nil, err
	}
	a, err := assemble(newCloud(memdynamo.New(memdynamo.Options{})), keys, httpapi.Config{})
	if err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	a.handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	return recorder.Body.Bytes(), nil
}

func newContract(text []byte) (*contract, error) {
	document, err := libopenapi.NewDocument(text)
	if err != nil {
		return nil, err
	}
	v, errs := validator.NewValidator(document, config.WithFormatAssertions(), config.WithStrictServerMatching())
	if len(errs) > 0 {
		return nil, errs[0]
	}
	operations, err := operationsOf(text)
	return &contract{validator: v, operations: operations}, err
}

// operationsOf lists the operations of a document.
func operationsOf(text []byte) ([]operation, error) {
	type server struct{ URL string }
	var document struct {
		Servers []server
		Paths   map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	var operations []operation
	for path, item := range document.Paths {
		servers := document.Servers
		if text, has := item["servers"]; has {
			var own []server
			if err := json.Unmarshal(text, &own); err != nil {
				return nil, err
			}
			servers = own
		}
		for key, value := range item {
			if key == "servers" || key == "parameters" {
				continue
			}
			var described struct{ Responses map[string]json.RawMessage }
			if err := json.Unmarshal(value, &described); err != nil {
				return nil, err
			}
			o := operation{method: strings.ToUpper(key), path: strings.TrimSuffix(servers[0].URL, "/") + path}
			for status := range described.Responses {
				o.statuses = append(o.statuses, status)
			}
			operations = append(operations, o)
		}
	}
	return operations, nil
}

// find is the operation of a request, if the document has one.
func (c *contract) find(r *http.Request) (operation, bool) {
	i := slices.IndexFunc(c.operations, func(o operation) bool {
		return o.method == r.Method && slices.EqualFunc(strings.Split(o.path, "/"), strings.Split(r.URL.EscapedPath(), "/"),
			func(want, got string) bool { return want == got || strings.HasPrefix(want, "{") && got != "" })
	})
	if i < 0 {
		return operation{}, false
	}
	return c.operations[i], true
}

// occurrences are the operations and statuses that were seen, as in "GET /v1/users/me 200".
type occurrences struct{ all sync.Map }

func (o *occurrences) note(text string)     { o.all.Store(text, true) }
func (o *occurrences) has(text string) bool { _, seen := o.all.Load(text); return seen }

// checkedTransport checks every request and answer on its way.
type checkedTransport struct {
	t        testing.TB
	next     http.RoundTripper
	contract *contract
	seen     *occurrences // may be nil
}

func (c *checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil && r.Body != http.NoBody {
		var err error
		if sent, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	response, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(received))
	c.check(r, sent, response, received)
	response.Body = io.NopCloser(bytes.NewReader(received))
	return response, nil
}

func (c *checkedTransport) check(r *http.Request, sent []byte, response *http.Response, received []byte) {
	what := r.Method + " " + r.URL.Path + " " + strconv.Itoa(response.StatusCode)
	if response.StatusCode >= http.StatusBadRequest && r.Method != http.MethodHead {
		c.checkError(what, response, received)
	}
	o, found := c.contract.find(r)
	if !found {
		return
	}
	if c.seen != nil {
		c.seen.note(o.method + " " + o.path + " " + strconv.Itoa(response.StatusCode))
	}
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(sent))
	// A request that the document refuses must be refused. Not the other way round: a code may be wrong for other reasons.
	if right, problems := c.contract.validator.ValidateHttpRequestSync(asked); !right && response.StatusCode < http.StatusBadRequest {
		c.t.Errorf("%s: the document refuses the request: %s", what, describe(problems))
	}
	if right, problems := c.contract.validator.ValidateHttpResponse(asked, response); !right {
		c.t.Errorf("%s: the document refuses the answer: %s\n%v\n%s", what, describe(problems), response.Header, received)
	}
}

// checkError checks the form that all errors have, on the paths beside the API too.
func (c *checkedTransport) checkError(what string, response *http.Response, received []byte) {
	var body struct {
		StatusCode int
		Error      string
		Message    string
		Details    []map[string]string
		RetryAfter *int
		RequestID  string
	}
	decoder := json.NewDecoder(bytes.NewReader(received))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		c.t.Errorf("%s: not the form of an error: %v: %s", what, err, received)
		return
	}
	header := response.Header
	assert.Equal(c.t, response.StatusCode, body.StatusCode, what)
	assert.Equal(c.t, http.StatusText(response.StatusCode), body.Error, what)
	assert.NotEmpty(c.t, body.Message, what)
	assert.NotEmpty(c.t, body.RequestID, what)
	assert.Equal(c.t, header.Get("X-Request-Id"), body.RequestID, what)
	assert.Equal(c.t, "application/json", header.Get("Content-Type"), what)
	assert.Equal(c.t, "no-store", header.Get("Cache-Control"), what)
	assert.Equal(c.t, response.StatusCode == http.StatusUnauthorized, header.Get("WWW-Authenticate") != "", what)
	assert.Equal(c.t, response.StatusCode == http.StatusMethodNotAllowed, header.Get("Allow") != "", what)
	retryAfter := ""
	if body.RetryAfter != nil {
		retryAfter = strconv.Itoa(*body.RetryAfter)
	}
	assert.Equal(c.t, retryAfter, header.Get("Retry-After"), what)
}

func describe(problems []*errors.ValidationError) string {
	var text strings.Builder
	for _, p := range problems {
		text.WriteString(p.Message + ": " + p.Reason)
		for _, s := range p.SchemaValidationErrors {
			text.WriteString("; " + s.FieldPath + " " + s.Reason)
		}
		text.WriteString("\n")
	}
	return text.String()
}

// TestContractRefuses makes sure that the checks above can fail.
func TestContractRefuses(t *testing.T) {
	t.Parallel()
	const right = `{"userId":"u1","firstName":"A","lastName":"B","status":"active",` +
		`"createdAt":"2026-01-15T10:30:00Z","updatedAt":"2026-01-15T10:30:00Z"}`
	cases := map[string]struct {
		status  int
		body    string
		without string // a header
		refused bool
	}{
		"right":                {200, right, "", false},
		"status_not_in_it":     {201, right, "", true},
		"header_missing":       {200, right, "ETag", true},
		"field_missing":        {200, strings.Replace(right, `"userId":"u1",`, "", 1), "", true},
		"field_too_many":       {200, strings.Replace(right, `{`, `{"version":1,`, 1), "", true},
		"time_with_fractions":  {200, strings.Replace(right, `00Z"`, `00.5Z"`, 1), "", true},
		"error_without_status": {404, `{"error":"Not Found","message":"x","requestId":"r"}`, "", true},
		"error_of_other":       {404, `{"statusCode":400,"error":"Bad Request","message":"x","requestId":"r"}`, "", true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{
				"Content-Type": {"application/json"}, "X-Request-Id": {"r"}, "Cache-Control": {"no-store"},
				"X-Content-Type-Options": {"nosniff"}, "Etag": {`"1"`},
			}
			header.Del(c.without)
			response := &http.Response{StatusCode: c.status, Header: header, Body: io.NopCloser(strings.NewReader(c.body))}
			asked := httptest.NewRequest(http.MethodGet, "/v1/users/me", nil)
			valid, problems := theContract().validator.ValidateHttpResponse(asked, response)
			assert.Equal(t, c.refused, !valid, describe(problems))
		})
	}
}
