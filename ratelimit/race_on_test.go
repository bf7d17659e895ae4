//go:build race

package ratelimit_test

// underRace says that the race detector runs, with which a step takes ten times as long.
const underRace = true
