package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// readCases reads a file of testdata/cases.
func readCases[T any](t testing.TB, name string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	require.NoError(t, err)
	var cases []T
	require.NoError(t, json.Unmarshal(raw, &cases))
	require.NotEmpty(t, cases)
	return cases
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range readCases[struct {
		Input, Why, Canonical string
		OK                    bool
	}](t, "names.json") {
		body, err := json.Marshal(map[string]string{"firstName": c.Input})
		require.NoError(t, err)
		a := putMe(t, body, c.OK, "firstName", c.Why)
		if c.Canonical != "" {
			require.Equal(t, c.Canonical, a.text("firstName"))
		}
	}
}

func TestPhones(t *testing.T) {
	t.Parallel()
	for _, c := range readCases[struct {
		Input, Why string
		OK         bool
	}](t, "phones.json") {
		body, err := json.Marshal(map[string]string{"phone": c.Input})
		require.NoError(t, err)
		a := putMe(t, body, c.OK, "phone", c.Why)
		if c.OK {
			require.Equal(t, c.Input, a.text("phone"))
		}
	}
}

// putMe sends PUT /users/me; a refused body must name the field.
func putMe(t *testing.T, body []byte, ok bool, field, why string) reply {
	t.Helper()
	f := newFixture(t)
	f.user("john", "john@example.com")
	a := f.call("john", "PUT", "/v1/users/me", string(body))
	if ok {
		require.Equal(t, http.StatusOK, a.status, why)
		return a
	}
	require.Equal(t, http.StatusBadRequest, a.status, why)
	require.Equal(t, []string{field}, a.fields(), why)
	return a
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, c := range readCases[struct {
		Input, Why, Canonical string
		Error                 bool
	}](t, "addresses.json") {
		f := newFixture(t)
		f.user("john", "john@example.com")
		body, err := json.Marshal(map[string]string{"email": c.Input})
		require.NoError(t, err)
		a := f.call("john", "POST", "/v1/users/me/emails", string(body))
		if c.Error {
			require.Equal(t, http.StatusBadRequest, a.status, c.Why)
			require.Equal(t, []string{"email"}, a.fields(), c.Why)
			continue
		}
		require.Equal(t, http.StatusCreated, a.status, c.Why)
		require.Equal(t, c.Canonical, a.text("email"), c.Why)
	}
}
