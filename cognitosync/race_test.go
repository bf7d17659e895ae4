//go:build race

package cognitosync_test

// The race detector makes every request some ten times as slow, so it gets a smaller pool.
const poolSize, plantedOfEach = 4_000, 20
