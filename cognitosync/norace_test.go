//go:build !race

package cognitosync_test

const poolSize, plantedOfEach = 50_000, 100
