//go:build !race

package outbox_test

const underRace = false
