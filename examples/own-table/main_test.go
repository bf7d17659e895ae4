package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func TestRun(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run(t.Context(), memdynamo.New(memdynamo.Options{}).Client(), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 12)
	for i, line := range lines {
		want := "allowed true "
		if i%4 == 3 {
			want = "allowed false"
		}
		require.Contains(t, line, want)
	}
}
