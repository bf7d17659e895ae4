package examples_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// internalAllowed are the internal packages of the library that examples may import: the in-memory engine, and the suites that tests share.
var internalAllowed = []string{"memdynamo", "suite"}

// TestImports: an example, and its tests, stand on what every user of the library can import, apart from the engine that takes DynamoDB's place.
func TestImports(t *testing.T) {
	t.Parallel()
	const internal = "github.com/usercore-go/usercore/internal/"
	const format = `{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}` +
		`{{range .TestImports}}{{$p}} {{.}}{{"\n"}}{{end}}{{range .XTestImports}}{{$p}} {{.}}{{"\n"}}{{end}}`
	output, err := exec.CommandContext(t.Context(), "go", "list", "-f", format, "./...").Output()
	require.NoError(t, err)
	engine := false
	for line := range strings.Lines(string(output)) {
		example, imported, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, isInternal := strings.CutPrefix(imported, internal)
		if !isInternal {
			continue
		}
		engine = engine || name == "memdynamo"
		if !slices.Contains(internalAllowed, name) {
			t.Errorf("%s imports %s", example, imported)
		}
	}
	require.True(t, engine, "no example was seen to import the engine: the list is empty or the format wrong")
}
