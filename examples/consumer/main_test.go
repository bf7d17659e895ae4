package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// TestRun finds the same view in many orders of delivery, and in each a gap, a duplicate and a status that came too late.
func TestRun(t *testing.T) {
	t.Parallel()
	const want = `view:
  dana   active    [dana@work.example]
  robin  suspended [robin@example.com]
`
	seen := map[string]bool{}
	for seed := range uint64(50) {
		var out strings.Builder
		require.NoError(t, run(t.Context(), memdynamo.New(memdynamo.Options{}).Client(), seed, &out))
		deliveries, view, found := strings.Cut(out.String(), "view:")
		require.True(t, found)
		require.Equal(t, want, "view:"+view, "seed %d", seed)
		require.Contains(t, deliveries, "addresses: gap", "seed %d", seed)
		require.Contains(t, deliveries, "goes back to the queue: consume: an earlier event", "seed %d", seed)
		for _, outcome := range []string{"status: stale", "status: duplicate", "addresses: duplicate", "addresses: stale"} {
			seen[outcome] = seen[outcome] || strings.Contains(deliveries, outcome)
		}
	}
	require.Equal(t, map[string]bool{
		"status: stale": true, "status: duplicate": true, "addresses: duplicate": true, "addresses: stale": true,
	}, seen)
}
