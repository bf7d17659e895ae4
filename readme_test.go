package usercore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuickStartIsTheReadmes holds the README's code to the example that the compiler and Example have seen.
func TestQuickStartIsTheReadmes(t *testing.T) {
	t.Parallel()
	_, rest, found := strings.Cut(read(t, "example_test.go"), "mailer emails.Sender, secret []byte) error {\n")
	require.True(t, found)
	body, _, found := strings.Cut(rest, "\n}\n")
	require.True(t, found)
	var code strings.Builder
	for _, line := range strings.Split(body, "\n") {
		code.WriteString(strings.TrimPrefix(line, "\t") + "\n")
	}
	require.Contains(t, read(t, "README.md"), "```go\n"+code.String()+"```")
	require.LessOrEqual(t, strings.Count(code.String(), "\n"), 27)
}
