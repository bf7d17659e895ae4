package ratelimit

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// rules is the arithmetic of one algorithm over S, what is known of a key. It does no I/O and takes every time as nanoseconds since 1970.
//
// The zero S is a key that was never used. Known states are lower bounds: while nobody resets the key, each admission only raises the
// state, so what a known state denies, the stored one denies too. The states given to all methods but at have gone through at for the same
// time.
type rules[S any] interface {
	// limit is the most units that can be admitted at once.
	limit() int
	// at returns what s still says at now: the zero S if it is damage, or state of a time that is over.
	at(s S, now int64) S
	// sort returns the sort value of the item that a request belongs to.
	sort(s S) string
	// read returns the state in the item that sort(s) named; of a nil item, the state of an unused key.
	read(s S, item map[string]types.AttributeValue, now int64) S

	// room returns how many units s admits at now.
	room(s S, now int64) int
	// wait returns how long it takes until s admits n units, 0 if it does.
	wait(s S, n int, now int64) time.Duration
	// reset returns how long it takes until s admits limit units, 0 if it does.
	reset(s S, now int64) time.Duration

	// write returns the update that admits n units if the item, which s is a lower bound of, has room for them.
	write(s S, n int, now int64) update
	// expiry returns from when on the item is not needed any more after such a write, in nanoseconds since 1970.
	expiry(s S, now int64) int64
}

// update is an update of one item on a condition, in DynamoDB's expression language.
type update struct {
	set    string
	when   string
	names  map[string]string
	values map[string]types.AttributeValue
}

// denial returns the decision on a request for n units that s has no room for.
func denial[S any](r rules[S], s S, n int, now int64) Decision {
	return Decision{Limit: r.limit(), Remaining: r.room(s, now), RetryAfter: r.wait(s, n, now), ResetAfter: r.reset(s, now)}
}

// admission returns the decision on a request that was admitted and left the state s.
func admission[S any](r rules[S], s S, now int64) Decision {
	return Decision{Allowed: true, Limit: r.limit(), Remaining: r.room(s, now), ResetAfter: r.reset(s, now)}
}
