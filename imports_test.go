package usercore_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/usercore-go/usercore"

// allowed is which packages of this module each package may import, outside tests. Paths are relative to the module.
var allowed = map[string][]string{
	"":                        {},
	"userstore":               {"internal/telemetry", "internal/account", "internal/table", "internal/dynamo", "internal/address", "outbox"},
	"userstore/adopt":         {"internal/account", "internal/table", "internal/dynamo", "internal/address", "internal/sweep", "outbox", "userstore", "userstore/audit"},
	"userstore/lifecycle":     {"internal/account", "internal/table", "internal/dynamo", "internal/sweep", "internal/telemetry", "userstore"},
	"userstore/audit":         {"internal/account", "internal/table", "internal/dynamo", "outbox", "userstore"},
	"emails":                  {"internal/telemetry", "internal/account", "internal/table", "internal/dynamo", "internal/address", "outbox", "ratelimit", "userstore"},
	"ratelimit":               {"internal/telemetry"},
	"outbox":                  {"internal/telemetry"},
	"outbox/eventbridgepub":   {"outbox"},
	"outbox/sqspub":           {"outbox"},
	"outbox/consume":          {"outbox"},
	"outbox/outboxtest":       {"outbox"},
	"cognitosync":             {"internal/telemetry", "userstore", "outbox"},
	"cognitosync/cognitotest": {},
	"httpapi":                 {"internal/telemetry", "userstore", "emails", "ratelimit"},
	"httpapi/cognitojwt":      {"httpapi"},
	"internal/account":        {"internal/telemetry", "internal/table", "internal/dynamo", "internal/address", "outbox"},
	"internal/table":          {"internal/dynamo"},
	"internal/dynamo":         {"internal/telemetry"},
	"internal/sweep":          {"internal/dynamo"},
	"internal/telemetry":      {},
	"internal/address":        {},
	"internal/memdynamo":      {},
	"internal/faults":         {},
}

// testOnly are packages that tests and nested modules import, and nothing else; they may import anything.
var testOnly = []string{"internal/suite", "internal/proof", "internal/bench"}

// directModules is how many modules the packages that users import may reach directly.
const directModules = 14

type listed struct {
	ImportPath string
	Imports    []string
}

// list runs go list and decodes its packages.
func list(t *testing.T, args ...string) []listed {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...).Output()
	require.NoError(t, err)
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
}

func relative(path string) (string, bool) {
	if path == module {
		return "", true
	}
	return strings.CutPrefix(path, module+"/")
}

func TestImportRule(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "./...") {
		name, _ := relative(p.ImportPath)
		if slices.Contains(testOnly, name) {
			continue
		}
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s is not in the map of this test", name)
		}
		for _, path := range p.Imports {
			if of, ours := relative(path); ours && !slices.Contains(may, of) {
				t.Errorf("%s imports %s", name, of)
			}
			if name == "httpapi" && strings.Contains(path, "aws-sdk-go") {
				t.Errorf("httpapi imports the AWS SDK")
			}
		}
	}
}

func TestPackagesStayLean(t *testing.T) {
	t.Parallel()
	tools := append([]string{"internal/memdynamo", "internal/faults", "cognitosync/cognitotest"}, testOnly...)
	modules := map[string]bool{}
	for _, p := range list(t, "./...") {
		if name, _ := relative(p.ImportPath); slices.Contains(tools, name) {
			continue
		}
		for _, path := range p.Imports {
			if m := moduleOf(path); m != "" {
				modules[m] = true
			}
		}
	}
	require.LessOrEqual(t, len(modules), directModules, "%v", modules)
	require.NotEmpty(t, modules)
}

// moduleOf guesses the module of an import path: host, owner and repository, or an AWS service; "" for ours and for the
// standard library.
func moduleOf(path string) string {
	parts := strings.Split(path, "/")
	if !strings.Contains(parts[0], ".") || strings.HasPrefix(path, module) {
		return ""
	}
	n := 3
	switch {
	case strings.HasPrefix(path, "go.opentelemetry.io/otel/") && parts[2] != "metric" && parts[2] != "trace":
		n = 2 // attribute and codes belong to otel itself
	case strings.Contains(path, "aws-sdk-go-v2/service/"):
		n = 5
	}
	return strings.Join(parts[:min(n, len(parts))], "/")
}
