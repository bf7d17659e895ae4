//go:build !race

package ratelimit_test

const underRace = false
