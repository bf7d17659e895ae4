package deployment

import (
	"encoding/base64"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
)

// TestVariables holds the list, the page and the source to each other.
func TestVariables(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`USERCORE_[A-Z_]+`)
	namesIn := func(text string) []string {
		found := name.FindAllString(text, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	listed := slices.Sorted(slices.Values(variables()))
	page, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	assert.Equal(t, listed, namesIn(string(page)), "doc.go")

	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var source strings.Builder
	for _, file := range files {
		if file == "doc.go" || file == "variables.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		source.Write(text)
	}
	assert.Equal(t, listed, namesIn(source.String()), "what is read")
}

func TestFirstSet(t *testing.T) {
	t.Parallel()
	assert.Empty(t, FirstSet(lookupIn(nil)))
	assert.Equal(t, "USERCORE_GMAIL_RULES", FirstSet(lookupIn(map[string]string{"USERCORE_GMAIL_RULES": "true"})))
}

func lookupIn(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func newDeployment(variables map[string]string) *Deployment {
	return &Deployment{
		Environment: NewEnvironment(lookupIn(variables)), AWS: aws.Config{Region: "eu-west-1"}, Logger: slog.New(slog.DiscardHandler),
	}
}

// complete has what a service needs, changed by pairs of name and value.
func complete(changes ...string) map[string]string {
	variables := map[string]string{
		"USERCORE_TABLE": "users", "USERCORE_OUTBOX_TABLE": "outbox", "USERCORE_USER_POOL_ID": "eu-west-1_AbCdEf123",
		"USERCORE_CLIENT_ID": "web", "USERCORE_CODE_SECRET": base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"USERCORE_MAIL_FROM": "accounts@example.com",
	}
	for pair := range slices.Chunk(changes, 2) {
		variables[pair[0]] = pair[1]
	}
	return variables
}

func TestService(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		variables map[string]string
		want      []string // in the error; none for success
	}{
		"complete": {complete(), nil},
		"nothing": {nil, []string{
			"USERCORE_TABLE: is not set", "USERCORE_OUTBOX_TABLE: is not set", "USERCORE_USER_POOL_ID: is not set", "USERCORE_CLIENT_ID: is not set",
			"USERCORE_CODE_SECRET: is not set", "USERCORE_MAIL_FROM: is not set",
		}},
		"two_issuers":         {complete("USERCORE_ISSUER", "https://issuer.invalid"), []string{"USERCORE_USER_POOL_ID: contradicts USERCORE_ISSUER"}},
		"outbox_and_none":     {complete("USERCORE_NO_OUTBOX", "true"), []string{"USERCORE_NO_OUTBOX: contradicts USERCORE_OUTBOX_TABLE"}},
		"bus_without_outbox":  {complete("USERCORE_NO_OUTBOX", "1", "USERCORE_OUTBOX_TABLE", "", "USERCORE_EVENT_BUS", "b"), []string{"contradicts USERCORE_EVENT_BUS"}},
		"no_outbox":           {complete("USERCORE_NO_OUTBOX", "true", "USERCORE_OUTBOX_TABLE", ""), nil},
		"secret_is_no_base64": {complete("USERCORE_CODE_SECRET", "1:short!"), []string{"USERCORE_CODE_SECRET: entry 1"}},
		"secret_is_short":     {complete("USERCORE_CODE_SECRET", "c2hvcnQ="), []string{"secret"}},
		"mode":                {complete("USERCORE_AUTH", "none"), []string{`USERCORE_AUTH: "none" is neither token nor gateway`}},
		"status_check":        {complete("USERCORE_STATUS_CHECK", "now"), []string{`USERCORE_STATUS_CHECK: "now" is neither`}},
		"number":              {complete("USERCORE_MAX_EMAILS", "many"), []string{`USERCORE_MAX_EMAILS: "many" is not a whole number`}},
		"range":               {complete("USERCORE_MAX_EMAILS", "31"), []string{"MaxEmails"}},
		"origin":              {complete("USERCORE_CORS_ORIGINS", "https://a.example, b"), []string{"CORS.AllowedOrigins[1]"}},
		"origins":             {complete("USERCORE_CORS_ORIGINS", "https://a.example, https://b.example"), nil},
		"gateway":             {complete("USERCORE_AUTH", "gateway"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDeployment(test.variables)
			_, err := d.Service(httpapi.Config{})
			if test.want == nil {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			for _, text := range test.want {
				assert.ErrorContains(t, err, text)
			}
			assert.NotContains(t, err.Error(), "short!", "no part of a secret is shown")
		})
	}
}

func TestCodeSecrets(t *testing.T) {
	t.Parallel()
	d := newDeployment(map[string]string{"USERCORE_CODE_SECRET": "2:Yg==, YQ=="})
	assert.Equal(t, []emails.Secret{{ID: "2", Key: []byte("b")}, {ID: "1", Key: []byte("a")}}, d.codeSecrets())
	assert.NoError(t, d.Err())
}
