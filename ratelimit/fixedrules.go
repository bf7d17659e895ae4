package ratelimit

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// tally is the state of a fixed window: which window, and how many units it has admitted.
type tally struct {
	start int64 // seconds since 1970
	count int64 // damaged if the stored count is not a count
}

const (
	damaged = -1

	// fixedExpiry is how long the item of a window stays after its end.
	fixedExpiry = 60 * time.Second
)

// fixedRules counts units in windows that start at multiples of their length since 1970. Each window has its own item, named by its start.
//
// A caller's windows never go back: after a clock has stepped back over a boundary, requests count in the latest window that this process
// has used.
type fixedRules struct {
	max    int
	window int64 // seconds
}

func (r fixedRules) limit() int { return r.max }

func (r fixedRules) sort(s tally) string {
	return "WINDOW#" + strconv.FormatInt(s.start, 10)
}

func (r fixedRules) at(s tally, now int64) tally {
	sec := now / int64(time.Second)
	start := sec - sec%r.window
	if s.start < start || s.start > sec+int64(maxSkew/time.Second) {
		return tally{start: start}
	}
	return s
}

func (r fixedRules) read(s tally, item map[string]types.AttributeValue, _ int64) tally {
	stored, exists := item[attrCount]
	count, ok := readNumber(stored)
	switch {
	case !exists:
		return tally{start: s.start}
	case !ok || count < 0:
		return tally{start: s.start, count: damaged}
	default:
		return tally{start: s.start, count: count}
	}
}

func (r fixedRules) room(s tally, _ int64) int {
	return int(max(0, int64(r.max)-max(0, s.count)))
}

func (r fixedRules) wait(s tally, n int, now int64) time.Duration {
	if n <= r.room(s, now) {
		return 0
	}
	return r.left(s, now)
}

func (r fixedRules) reset(s tally, now int64) time.Duration {
	if s.count <= 0 {
		return 0
	}
	return r.left(s, now)
}

// left returns how long the window of s goes on; always above 0.
func (r fixedRules) left(s tally, now int64) time.Duration {
	return time.Duration((s.start+r.window)*int64(time.Second) - now)
}

// write counts on, or replaces a count that is damaged: adding to an attribute that is not a number would be an error for as long as the
// item exists.
func (r fixedRules) write(s tally, n int, _ int64) update {
	u := update{
		set:  "#count = if_not_exists(#count, :zero) + :n",
		when: "(attribute_not_exists(#count) OR #count BETWEEN :zero AND :room)",
		values: map[string]types.AttributeValue{
			":zero": number(0), ":n": number(int64(n)), ":room": number(int64(r.max - n)),
		},
		names: map[string]string{"#count": attrCount}, // a reserved word
	}
	if s.count == damaged {
		u.set = "#count = :n"
		u.when = "(NOT attribute_type(#count, :number) OR #count < :zero)"
		u.values = map[string]types.AttributeValue{":zero": number(0), ":n": number(int64(n)), ":number": text("N")}
	}
	return u
}

func (r fixedRules) expiry(s tally, _ int64) int64 {
	return (s.start+r.window)*int64(time.Second) + int64(fixedExpiry)
}
