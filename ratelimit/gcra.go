package ratelimit

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// arrival is the state of a token bucket: the theoretical arrival time (TAT) of the generic cell rate algorithm, nanoseconds since 1970. It
// is the time at which the bucket is full again; a time that has passed, 0 included, is a full bucket.
type arrival int64

// gcra is the token bucket as generic cell rate algorithm: one number per key, and arithmetic without rounding. A unit moves the TAT by
// interval, and is admitted if the TAT stays within burst intervals from now.
type gcra struct {
	burst    int
	interval int64 // nanoseconds per token
}

func (r gcra) limit() int { return r.burst }

func (r gcra) sort(arrival) string { return "BUCKET" }

func (r gcra) at(s arrival, now int64) arrival {
	if int64(s) > r.horizon(now) {
		return 0
	}
	return s
}

func (r gcra) read(_ arrival, item map[string]types.AttributeValue, now int64) arrival {
	tat, ok := readNumber(item[attrArrival])
	if !ok {
		return 0
	}
	return r.at(arrival(tat), now)
}

func (r gcra) room(s arrival, now int64) int {
	if int64(s) <= now {
		return r.burst
	}
	return int(max(0, now+r.tolerance()-int64(s)) / r.interval)
}

func (r gcra) wait(s arrival, n int, now int64) time.Duration {
	if int64(s) <= now {
		return 0
	}
	return time.Duration(max(0, int64(s)-r.latest(n, now)))
}

func (r gcra) reset(s arrival, now int64) time.Duration {
	if int64(s) <= now {
		return 0
	}
	return time.Duration(int64(s) - now)
}

// write has two forms, because DynamoDB has no max(): a bucket that is filling up is moved on, a full one starts from now. Their conditions
// exclude each other and cover every admissible item, so a wrong guess from s costs one more request and never a wrong decision.
func (r gcra) write(s arrival, n int, now int64) update {
	cost := int64(n) * r.interval
	if int64(s) > now {
		return update{
			set:  "tat = tat + :cost",
			when: "tat > :now AND tat <= :latest",
			values: map[string]types.AttributeValue{
				":cost": number(cost), ":now": number(now), ":latest": number(r.latest(n, now)),
			},
		}
	}
	return update{
		set:  "tat = :next",
		when: "(NOT attribute_type(tat, :number) OR tat <= :now OR tat > :horizon)",
		values: map[string]types.AttributeValue{
			":next": number(now + cost), ":number": text("N"), ":now": number(now), ":horizon": number(r.horizon(now)),
		},
	}
}

func (r gcra) expiry(_ arrival, now int64) int64 {
	return r.horizon(now) // a full bucket from then on, by every clock
}

// latest returns the largest TAT at which n units are admitted at now.
func (r gcra) latest(n int, now int64) int64 {
	return now + r.tolerance() - int64(n)*r.interval
}

// tolerance is the time in which an empty bucket fills up.
func (r gcra) tolerance() int64 {
	return int64(r.burst) * r.interval
}

// horizon is the latest TAT that this configuration and another caller's clock can make; what is later is damage, or a larger bucket's of
// an earlier configuration.
func (r gcra) horizon(now int64) int64 {
	return horizon(now) + r.tolerance()
}
