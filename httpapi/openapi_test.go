package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
)

// openAPI is the document of the package, which every answer of every test is checked against.
type openAPI struct {
	root  map[string]any
	rules schema
}

func readDocument(t testing.TB) *openAPI {
	t.Helper()
	raw, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	d := &openAPI{}
	require.NoError(t, json.Unmarshal(raw, &d.root))
	d.rules = schema{resolve: d.resolve}
	return d
}

// resolve follows "#/a/b".
func (d *openAPI) resolve(ref string) map[string]any {
	return lookUp(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

// lookUp goes down the members of an object; nil if one is missing.
func lookUp(object map[string]any, names ...string) map[string]any {
	for _, name := range names {
		object, _ = object[name].(map[string]any)
	}
	return object
}

// deref is an object, or what it refers to.
func (d *openAPI) deref(object map[string]any) map[string]any {
	if ref, ok := object["$ref"].(string); ok {
		return d.resolve(ref)
	}
	return object
}

// path finds the path of the document that a request is to.
func (d *openAPI) path(sent string) (string, bool) {
	if sent == "/openapi.json" {
		return sent, true
	}
	segments := strings.Split(strings.TrimPrefix(sent, "/v1"), "/")
	for template := range lookUp(d.root, "paths") {
		want := strings.Split(template, "/")
		if strings.HasPrefix(sent, "/v1/") && template != "/openapi.json" && slices.EqualFunc(want, segments, func(w, s string) bool {
			return w == s || w == "{emailId}" && s != "" && s != "." && s != ".."
		}) {
			return template, true
		}
	}
	return "", false
}

// check fails the test unless an answer is one that the document tells of. What no operation is for must be a uniform 404 or 405.
func (d *openAPI) check(t testing.TB, method, sent string, a reply) {
	t.Helper()
	path, known := d.path(sent)
	documented := method
	if method == http.MethodHead {
		documented = http.MethodGet
	}
	var operation map[string]any
	if documented == strings.ToUpper(documented) { // "get" is another method
		operation = lookUp(d.root, "paths", path, strings.ToLower(documented))
	}
	var response map[string]any
	switch {
	case known && method == http.MethodOptions:
		require.Equal(t, http.StatusNoContent, a.status)
		require.NotEmpty(t, a.header.Get("Allow"))
		response = map[string]any{}
	case operation == nil && known:
		require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, sent)
		require.NotEmpty(t, a.header.Get("Allow"))
	case operation == nil:
		require.Equal(t, http.StatusNotFound, a.status, "%s %s", method, sent)
	default:
		response = d.deref(lookUp(operation, "responses", strconv.Itoa(a.status)))
		require.NotNil(t, response, "%s %s answers %d, which is not in the document: %s", method, path, a.status, a.body)
	}
	if response == nil { // 404 and 405 of what is not there
		response = map[string]any{"content": map[string]any{"application/json": map[string]any{
			"schema": map[string]any{"$ref": "#/components/schemas/Error"},
		}}}
	}
	d.checkHeaders(t, response, a)
	d.checkBody(t, method, response, a)
}

func (d *openAPI) checkHeaders(t testing.TB, response map[string]any, a reply) {
	t.Helper()
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	require.NotEmpty(t, a.header.Get("X-Request-Id"))
	known := lookUp(response, "headers")
	for name, header := range known {
		rules := d.deref(header.(map[string]any))
		values := a.header.Values(name)
		if len(values) == 0 {
			require.NotEqual(t, true, rules["required"], "%s is missing", name)
			continue
		}
		var value any = values[0]
		if lookUp(rules, "schema")["type"] == "integer" {
			n, err := strconv.Atoi(values[0])
			require.NoError(t, err, name)
			value = float64(n)
		}
		require.NoError(t, d.rules.check(lookUp(rules, "schema"), value, name))
	}
	for _, name := range []string{"ETag", "Location", "Retry-After", "WWW-Authenticate", "X-RateLimit-Limit", "X-RateLimit-Reset"} {
		if a.header.Get(name) != "" && known != nil {
			require.Contains(t, known, name, "%s is not in the document", name)
		}
	}
}

func (d *openAPI) checkBody(t testing.TB, method string, response map[string]any, a reply) {
	t.Helper()
	content := lookUp(response, "content", "application/json")
	if content == nil {
		require.Empty(t, a.body)
		require.Empty(t, a.header.Get("Content-Type"))
		return
	}
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	if method == http.MethodHead {
		require.Empty(t, a.body)
		require.NotEmpty(t, a.header.Get("Content-Length"))
		return
	}
	require.Equal(t, strconv.Itoa(len(a.body)), a.header.Get("Content-Length"))
	var value any
	require.NoError(t, json.Unmarshal(a.body, &value), string(a.body))
	require.NoError(t, d.rules.check(lookUp(content, "schema"), value, "body"), string(a.body))
	if a.status < 400 {
		return
	}
	require.Equal(t, float64(a.status), a.value("statusCode"))
	require.Equal(t, http.StatusText(a.status), a.text("error"))
	require.Equal(t, a.header.Get("X-Request-Id"), a.text("requestId"))
	if after, ok := a.value("retryAfter").(float64); ok || a.header.Get("Retry-After") != "" {
		require.Equal(t, strconv.Itoa(int(after)), a.header.Get("Retry-After"))
	}
}

// specified are the statuses of the tables of the API design, and those that come with the rest of the contract.
var specified = map[string][]int{
	"GET /users/me":                                  {200, 401, 403, 404, 429, 500, 503},
	"PUT /users/me":                                  {200, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503},
	"DELETE /users/me":                               {200, 401, 404, 429, 500, 503},
	"GET /users/me/emails":                           {200, 401, 403, 404, 429, 500, 503},
	"POST /users/me/emails":                          {201, 400, 401, 403, 404, 409, 413, 415, 429, 500, 503},
	"GET /users/me/emails/{emailId}":                 {200, 401, 403, 404, 429, 500, 503},
	"DELETE /users/me/emails/{emailId}":              {204, 400, 401, 403, 404, 429, 500, 503},
	"POST /users/me/emails/{emailId}/verify":         {200, 400, 401, 403, 404, 429, 500, 503},
	"POST /users/me/emails/{emailId}/verify/confirm": {200, 400, 401, 403, 404, 413, 415, 429, 500, 503},
	"PUT /users/me/emails/{emailId}/primary":         {200, 400, 401, 403, 404, 429, 500, 503},
	"GET /openapi.json":                              {200},
}

func TestDocumentHasEveryRouteAndStatus(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	found := map[string][]int{}
	for path, item := range lookUp(d.root, "paths") {
		for method, operation := range item.(map[string]any) {
			if method == "parameters" || method == "servers" {
				continue
			}
			var statuses []int
			for status := range lookUp(operation.(map[string]any), "responses") {
				n, err := strconv.Atoi(status)
				require.NoError(t, err)
				statuses = append(statuses, n)
			}
			slices.Sort(statuses)
			found[strings.ToUpper(method)+" "+path] = statuses
		}
	}
	require.Equal(t, specified, found)
}

func TestDocumentMatchesTheRoutes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for operation := range specified {
		method, path, _ := strings.Cut(operation, " ")
		if path != "/openapi.json" {
			path = "/v1" + strings.ReplaceAll(path, "{emailId}", "x")
		}
		a := f.call("", http.MethodOptions, path, "")
		require.Contains(t, strings.Split(a.header.Get("Allow"), ", "), method, operation)
	}
}

// TestDocumentReferences follows every $ref, and checks every example against its schema.
func TestDocumentReferences(t *testing.T) {
	t.Parallel()
	d := readDocument(t)
	used := map[string]bool{}
	var visit func(value any)
	visit = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, element := range v {
				visit(element)
			}
		case map[string]any:
			if ref, ok := v["$ref"].(string); ok {
				require.NotNil(t, d.resolve(ref), ref)
				used[ref] = true
			}
			if example, ok := v["example"]; ok {
				require.NoError(t, d.rules.check(lookUp(v, "schema"), example, "example"))
			}
			for _, member := range v {
				visit(member)
			}
		}
	}
	visit(d.root)
	for kind, components := range lookUp(d.root, "components") {
		for name := range components.(map[string]any) {
			if kind != "securitySchemes" {
				require.True(t, used["#/components/"+kind+"/"+name], "%s %s is not used", kind, name)
			}
		}
	}
}

func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	f := newFixture(t)
	a := f.call("", "GET", "/openapi.json", "")
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, string(raw), string(a.body))

	for prefix, url := range map[string]string{"/": "/", "/api/v2": "/api/v2"} {
		f.rebuild(func(cfg *httpapi.Config) { cfg.Prefix = prefix })
		var document struct{ Servers []struct{ URL string } }
		require.NoError(t, json.Unmarshal(f.call("", "GET", "/openapi.json", "").body, &document))
		require.Len(t, document.Servers, 1)
		require.Equal(t, url, document.Servers[0].URL)
	}
}
