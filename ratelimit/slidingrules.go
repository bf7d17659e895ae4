package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// admissions is the state of a sliding window: the times of the last admissions, newest first, as many as the limit; 0 is none, and so is a
// nil slice.
type admissions []int64

// slidingRules is the exact sliding window: a unit is admitted when the admission `limit` units ago has left the window. The item has the
// times as t1 (newest) to tN, and an admission shifts them by one. Numbering from the newest lets a rollout change the limit: slots that
// are new are empty.
//
// Times never fall: a caller whose clock is behind the newest admission records the newest admission's time again. If it recorded its own,
// that admission would leave the window early for everyone else.
type slidingRules struct {
	slots  int
	window int64 // nanoseconds
}

func (r slidingRules) limit() int { return r.slots }

func (r slidingRules) sort(admissions) string { return "SLIDING" }

func (r slidingRules) at(s admissions, now int64) admissions {
	if s.newest() > horizon(now) {
		return nil
	}
	return s
}

func (r slidingRules) read(_ admissions, item map[string]types.AttributeValue, now int64) admissions {
	s := make(admissions, r.slots)
	for i := range s {
		if t, ok := readNumber(item[slot(i+1)]); ok && t > 0 && t <= horizon(now) {
			s[i] = t
		}
	}
	return s
}

// room counts the oldest admissions that have left the window, the way that write's condition looks at them: n units need the last n slots.
func (r slidingRules) room(s admissions, now int64) int {
	for n := range s {
		if s[len(s)-1-n] > r.ago(now) {
			return n
		}
	}
	return r.slots
}

func (r slidingRules) wait(s admissions, n int, now int64) time.Duration {
	var latest int64
	for _, t := range s[max(0, len(s)-n):] {
		latest = max(latest, t)
	}
	if latest <= r.ago(now) {
		return 0
	}
	return time.Duration(latest + r.window - now)
}

func (r slidingRules) reset(s admissions, now int64) time.Duration {
	return r.wait(s, r.slots, now)
}

func (r slidingRules) write(s admissions, n int, now int64) update {
	oldest := slot(r.slots - n + 1) // the newest of the n admissions that have to have left
	u := update{
		set: r.shift(n),
		when: fmt.Sprintf("(NOT attribute_type(%s, :number) OR %[1]s <= :ago OR %[1]s > :horizon)"+
			" AND (NOT attribute_type(%[2]s, :number) OR %[2]s <= :stamp OR %[2]s > :horizon)", oldest, slot(1)),
		values: map[string]types.AttributeValue{
			":number":  text("N"),
			":ago":     number(r.ago(now)),
			":stamp":   number(max(now, s.newest())),
			":horizon": number(horizon(now)),
		},
	}
	if n < r.slots {
		u.values[":none"] = number(0)
	}
	return u
}

// shift returns the assignments that move every time n slots on and put the stamp into the first n. Right-hand sides see the item as it was
// before the update; a slot that is not there yet counts as none.
func (r slidingRules) shift(n int) string {
	assignments := make([]string, r.slots)
	for i := range assignments {
		if i < n {
			assignments[i] = slot(i+1) + " = :stamp"
		} else {
			assignments[i] = fmt.Sprintf("%s = if_not_exists(%s, :none)", slot(i+1), slot(i+1-n))
		}
	}
	return strings.Join(assignments, ", ")
}

func (r slidingRules) expiry(s admissions, now int64) int64 {
	return max(now, s.newest()) + r.window + int64(maxSkew)
}

// ago is the time at which, or before which, an admission has left the window at now. It is not below 0, which stands for none.
func (r slidingRules) ago(now int64) int64 {
	return max(0, now-r.window)
}

func (s admissions) newest() int64 {
	if len(s) == 0 {
		return 0
	}
	return s[0]
}

// slot returns the attribute name of the i-th newest admission, counted from 1.
func slot(i int) string {
	return slotPrefix + strconv.Itoa(i)
}

// horizon is the latest time that another caller's clock can have put into an item; what is later is damage.
func horizon(now int64) int64 {
	return now + int64(maxSkew)
}
