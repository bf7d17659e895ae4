package httpapi_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBodies(t *testing.T) {
	t.Parallel()
	type bodyCase struct {
		Route, Body, Why, ContentType string
		Base64                        bool
		Status                        int
	}
	for _, c := range readCases[bodyCase](t, "bodies.json") {
		t.Run(c.Why, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			method, path, _ := strings.Cut(c.Route, " ")
			path = "/v1" + strings.ReplaceAll(path, "{emailId}", f.primary("john"))
			body := c.Body
			if c.Base64 {
				raw, err := base64.StdEncoding.DecodeString(body)
				require.NoError(t, err)
				body = string(raw)
			}
			headers := []string{"Content-Type", "", "Content-Type", "application/json"}
			if c.ContentType != "" {
				headers[3] = c.ContentType
			}
			a := f.call("john", method, path, body, headers...)
			require.Equal(t, c.Status, a.status, string(a.body))
		})
	}
}

func TestStrictBodies(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for name, c := range map[string]struct {
		body    string
		message string
		fields  []string
		problem string // with the first field
	}{
		"folded_name":             {`{"fir\u017ftName":"A"}`, "Invalid request body", []string{"firſtName"}, "is not a known field"},
		"escaped_name_is_exact":   {`{"\u0066irstName":7}`, "Invalid request body", []string{"firstName"}, "must be a string"},
		"duplicate_by_escape":     {`{"firstName":"A","\u0066irstName":"B"}`, "Invalid request body", []string{"firstName"}, "must not be there twice"},
		"duplicate_unknown":       {`{"a":1,"a":2}`, "Invalid request body", []string{"a"}, "is not a known field"},
		"duplicate_inside":        {`{"firstName":{"a":[{"b":1,"b":2}]}}`, "Invalid request body", []string{"firstName"}, "has a field twice"},
		"too_deep":                {`{"firstName":` + deep + `}`, "Invalid request body", []string{"firstName"}, "is nested too deeply"},
		"high_surrogate":          {`{"firstName":"\ud83d"}`, "Invalid request body", []string{"firstName"}, "must be valid Unicode"},
		"low_surrogate":           {`{"firstName":"A\udE00"}`, "Invalid request body", []string{"firstName"}, "must be valid Unicode"},
		"surrogates_swapped":      {`{"firstName":"\ude00\ud83d"}`, "Invalid request body", []string{"firstName"}, "must be valid Unicode"},
		"high_then_other_escape":  {`{"firstName":"\ud83d\n"}`, "Invalid request body", []string{"firstName"}, "must be valid Unicode"},
		"high_then_high_then_low": {`{"firstName":"\ud83d\ud83d\ude00"}`, "Invalid request body", []string{"firstName"}, "must be valid Unicode"},
		"surrogate_in_name":       {`{"\ud83d":1}`, "Invalid request body", []string{"\uFFFD"}, "is not a known field"},
		"nul":                     {`{"firstName":"A\u0000B"}`, "Invalid request body", []string{"firstName"}, "must not contain NUL"},
		"raw_nul":                 {"{\"firstName\":\"A\x00B\"}", "Request body must be one valid JSON value", []string{}, ""},
		"byte_order_mark":         {"\uFEFF{}", "Request body must be one valid JSON value", []string{}, ""},
		"blank":                   {" \n", "Request body must not be empty", []string{}, ""},
		"comment":                 {`{} // nothing`, "Request body must be one valid JSON value", []string{}, ""},
		"number":                  {`1e999`, "Request body must be a JSON object", []string{}, ""},
		"huge_number_in_a_field":  {`{"firstName":1e999}`, "Invalid request body", []string{"firstName"}, "must be a string"},
		"every_field_at_once":     {`{"lastName":true,"phone":[],"firstName":null}`, "Invalid request body", []string{"firstName", "lastName", "phone"}, "must not be null"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			before := f.requests.count.Load()
			a := f.call("john", "PUT", "/v1/users/me", c.body)
			require.Equal(t, http.StatusBadRequest, a.status)
			require.Equal(t, c.message, a.text("message"))
			require.Equal(t, c.fields, a.fields())
			require.Contains(t, string(a.body), c.problem)
			require.Equal(t, before, f.requests.count.Load(), "a body that is refused costs no request")
		})
	}
}

func TestGoodBodies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, firstName string }{
		"blanks":             {" {\t\"firstName\" :\r\n\"Ann\" } ", "Ann"},
		"escaped_name":       {`{"\u0066irstName":"Ann"}`, "Ann"},
		"escaped_value":      {`{"firstName":"\u0041nn\u002D\u0041nn"}`, "Ann-Ann"},
		"surrogate_pair":     {`{"firstName":"\ud840\udc00"}`, "\U00020000"},
		"escaped_backslash":  {`{"firstName":"Ann"}`, "Ann"},
		"decomposed":         {`{"firstName":"Zoe\u0308"}`, "Zoë"},
		"nothing":            {`{}`, "John"},
		"null_phone_is_kept": {`{"phone":null}`, "John"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			a := f.call("john", "PUT", "/v1/users/me", c.body)
			require.Equal(t, http.StatusOK, a.status, string(a.body))
			require.Equal(t, c.firstName, a.text("firstName"))
		})
	}
}

func TestUnknownFieldsAreNamedInBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	var b strings.Builder
	b.WriteString(`{"` + strings.Repeat("ä", 500) + `":1`)
	for i := range 3000 {
		fmt.Fprintf(&b, `,"f%d":1`, i)
	}
	b.WriteString("}")
	a := f.call("john", "PUT", "/v1/users/me", b.String())
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Len(t, a.fields(), 20)
	require.Equal(t, strings.Repeat("ä", 64)+"…", a.fields()[0])
}

func TestWrongFormsAndWrongValuesInOneAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	a := f.call("john", "PUT", "/v1/users/me", `{"firstName":7,"lastName":"","phone":"12","role":"admin"}`)
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Equal(t, []string{"firstName", "role", "lastName", "phone"}, a.fields())
	require.Equal(t, "Invalid request body", a.text("message"))
}
