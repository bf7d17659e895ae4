package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIfMatch updates an account of version 3.
func TestIfMatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		values []string
		status int
	}{
		"none":                     {nil, http.StatusOK},
		"match":                    {[]string{`"3"`}, http.StatusOK},
		"any":                      {[]string{`*`}, http.StatusOK},
		"any_with_blanks":          {[]string{" * "}, http.StatusOK},
		"list":                     {[]string{`"1", "3"`}, http.StatusOK},
		"list_without_blanks":      {[]string{`"3","9"`}, http.StatusOK},
		"two_headers":              {[]string{`"1"`, `"3"`}, http.StatusOK},
		"empty_elements":           {[]string{`, "3",,`}, http.StatusOK},
		"comma_in_a_tag":           {[]string{`"1,2", "3"`}, http.StatusOK},
		"weak_and_strong":          {[]string{`W/"3", "3"`}, http.StatusOK},
		"old":                      {[]string{`"2"`}, http.StatusConflict},
		"future":                   {[]string{`"4"`}, http.StatusConflict},
		"weak":                     {[]string{`W/"3"`}, http.StatusConflict},
		"leading_zero":             {[]string{`"03"`}, http.StatusConflict},
		"not_a_number":             {[]string{`"abc"`}, http.StatusConflict},
		"empty_tag":                {[]string{`""`}, http.StatusConflict},
		"list_without_the_version": {[]string{`"1", "2"`}, http.StatusConflict},
		"empty":                    {[]string{``}, http.StatusBadRequest},
		"only_commas":              {[]string{` , ,`}, http.StatusBadRequest},
		"unquoted":                 {[]string{`3`}, http.StatusBadRequest},
		"open_quote":               {[]string{`"3`}, http.StatusBadRequest},
		"lower_case_weak":          {[]string{`w/"3"`}, http.StatusBadRequest},
		"any_in_a_list":            {[]string{`*, "3"`}, http.StatusBadRequest},
		"blank_in_a_tag":           {[]string{`"3 "`}, http.StatusBadRequest},
		"no_comma":                 {[]string{`"1" "3"`}, http.StatusBadRequest},
		"trailing_text":            {[]string{`"3"x`}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			f.call("john", "PUT", "/v1/users/me", `{"firstName":"A"}`)
			f.call("john", "PUT", "/v1/users/me", `{"firstName":"B"}`)
			r := newRequest("john", "PUT", "/v1/users/me", `{"firstName":"C"}`)
			if c.values != nil {
				r.Header["If-Match"] = c.values
			}
			a := f.send(r)
			require.Equal(t, c.status, a.status, string(a.body))
			want := `"3"`
			if c.status == http.StatusOK {
				want = `"4"`
				require.Equal(t, want, a.header.Get("ETag"))
			}
			require.Equal(t, want, f.call("john", "GET", "/v1/users/me", "").header.Get("ETag"))
		})
	}
}

// TestIfMatchPrecedence: the account's status and the values come before the version.
func TestIfMatchPrecedence(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	require.Equal(t, http.StatusBadRequest, f.call("john", "PUT", "/v1/users/me", `{"firstName":"7"}`, "If-Match", `"9"`).status)
	f.suspend("john")
	require.Equal(t, http.StatusForbidden, f.call("john", "PUT", "/v1/users/me", `{"firstName":"A"}`, "If-Match", `"9"`).status)
}

func TestUpdateWithoutChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	for _, body := range []string{`{}`, `{"firstName":"John"}`, `{"phone":null}`} {
		a := f.call("john", "PUT", "/v1/users/me", body)
		require.Equal(t, http.StatusOK, a.status)
		require.Equal(t, `"1"`, a.header.Get("ETag"), body)
	}
}

func TestUpdateClearsThePhone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	f.call("john", "PUT", "/v1/users/me", `{"phone":"+14155550123"}`)
	a := f.call("john", "PUT", "/v1/users/me", `{"phone":null}`)
	require.Equal(t, http.StatusOK, a.status)
	require.False(t, strings.Contains(string(a.body), "phone"))
}
