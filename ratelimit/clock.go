package ratelimit

import (
	"math"
	"time"
)

const (
	// maxSkew is how far the clocks of two callers, or of a caller and DynamoDB, may be apart for the package's promises to hold. It is the
	// slack of the TTL (an item is never deleted while any clock still needs it), and what tells a clock ahead from damage: state that is
	// further in the future than a limit can put it counts as absent, so that one host with a broken clock locks nobody out for years.
	maxSkew = 24 * time.Hour

	// maxSpan bounds bursts and windows, so that adding one to a time cannot overflow.
	maxSpan = 50 * 365 * 24 * time.Hour

	latestTime = math.MaxInt64 / 2 // the year 2116; see nanos
)

// nanos returns t as nanoseconds since 1970, clamped to [1, latestTime]: 0 stands for never, and sums with spans up to maxSpan fit an int64.
func nanos(t time.Time) int64 {
	switch sec := t.Unix(); {
	case sec < 0:
		return 1
	case sec > latestTime/int64(time.Second):
		return latestTime
	default:
		return min(max(t.UnixNano(), 1), latestTime)
	}
}

// ceilSeconds returns the whole seconds in ns nanoseconds, rounded up; ns is not negative.
func ceilSeconds(ns int64) int64 {
	sec := ns / int64(time.Second)
	if ns%int64(time.Second) > 0 {
		sec++
	}
	return sec
}
