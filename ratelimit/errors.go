package ratelimit

import "errors"

var (
	// ErrUnits says that AllowN was asked for less than one unit, or for more than the limit: waiting would not help.
	ErrUnits = errors.New("ratelimit: number of units is below 1 or above the limit")

	// ErrLimited says that Wait gave up, because no unit becomes free before its time is over.
	ErrLimited = errors.New("ratelimit: no unit becomes free in time")

	// errUnsettled is the Cause after maxTurns.
	errUnsettled = errors.New("ratelimit: writes are refused without a reason that the old item shows")
)
