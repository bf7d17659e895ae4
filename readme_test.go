package usercore_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuickStartIsTheReadmes holds the README's code to the example that the compiler and Example have seen.
func TestQuickStartIsTheReadmes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(source), "mailer emails.Sender, secret []byte) error {\n")
	require.True(t, found)
	body, _, found := strings.Cut(rest, "\n}\n")
	require.True(t, found)
	var code strings.Builder
	for _, line := range strings.Split(body, "\n") {
		code.WriteString(strings.TrimPrefix(line, "\t") + "\n")
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	require.Contains(t, string(readme), "```go\n"+code.String()+"```")
	require.LessOrEqual(t, strings.Count(code.String(), "\n"), 27)
}
