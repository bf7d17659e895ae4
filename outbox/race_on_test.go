//go:build race

package outbox_test

// underRace says that the race detector runs, with which a request takes five times as long. Tests that repeat one run in many variants do
// with fewer of them then: it looks for races, not for outcomes.
const underRace = true
