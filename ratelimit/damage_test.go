package ratelimit_test

import (
	"maps"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/ratelimit"
)

// TestExactDamagedItems starts with items that no limiter wrote, on a whole DynamoDB. They count as an unused key, the first admission
// repairs them, and none of them makes an error.
func TestExactDamagedItems(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	seconds := func(d time.Duration) types.AttributeValue { return n(strconv.FormatInt(now.Add(d).Unix(), 10)) }
	nanos := func(d time.Duration) types.AttributeValue { return n(strconv.FormatInt(now.Add(d).UnixNano(), 10)) }
	for _, a := range []struct {
		name    string
		sort    string
		limiter builder
		items   map[string]item
	}{
		{
			"token_bucket", "BUCKET", limiterOf3["token_bucket"],
			map[string]item{
				"no_state":            {"ttl": seconds(time.Hour)},
				"expired_and_present": {"ttl": seconds(-time.Hour), "tat": nanos(-26 * time.Hour)},
				"text":                {"tat": s("soon")},
				"digits_as_text":      {"tat": s("9999999999999999999")},
				"null":                {"tat": &types.AttributeValueMemberNULL{Value: true}},
				"no_int64":            {"tat": n("1e30")},
				"broken_clock":        {"tat": nanos(10 * 365 * 24 * time.Hour)},
				"negative":            {"tat": n("-1e30")},
				"seconds":             {"tat": seconds(time.Hour)},
				"nonce_of_wrong_type": {"tat": nanos(-time.Second), "nonce": n("1")},
				"ttl_of_wrong_type":   {"tat": nanos(-time.Second), "ttl": s("never")},
			},
		},
		{
			"sliding_window", "SLIDING", limiterOf3["sliding_window"],
			map[string]item{
				"no_state":            {"ttl": seconds(time.Hour)},
				"expired_and_present": {"ttl": seconds(-time.Hour), "t1": nanos(-26 * time.Hour), "t2": n("0"), "t3": n("0")},
				"text":                {"t1": s("a"), "t2": s("b"), "t3": s("c")},
				"broken_clock":        {"t1": nanos(99 * time.Hour), "t2": nanos(99 * time.Hour), "t3": nanos(99 * time.Hour)},
				"no_int64":            {"t1": n("1e30"), "t2": n("-1e30"), "t3": n("1e30")},
				"seconds":             {"t1": seconds(0), "t2": seconds(0), "t3": seconds(0)},
				"other_limit_before":  {"t5": nanos(-time.Second)},
			},
		},
		{
			"fixed_window", "WINDOW#" + strconv.FormatInt(now.Truncate(time.Hour).Unix(), 10), limiterOf3["fixed_window"],
			map[string]item{
				"no_state":            {"ttl": seconds(time.Hour)},
				"expired_and_present": {"ttl": seconds(-time.Hour), "count": n("0")},
				"text":                {"count": s("7")},
				"set":                 {"count": &types.AttributeValueMemberNS{Value: []string{"1"}}},
				"negative":            {"count": n("-5")},
			},
		},
	} {
		for name, damage := range a.items {
			t.Run(a.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				e := newEngine(t, anyTable(), faults.Plan{}, 1)
				stored := item{"PK": s("RATELIMIT#key"), "SK": s(a.sort)}
				maps.Copy(stored, damage)
				e.put(t, stored)
				l, err := a.limiter(e.client)
				require.NoError(t, err)
				requireThree(t, l)
			})
		}
	}
}

// limiterOf3 makes limiters of three units while the clock stands.
var limiterOf3 = map[string]builder{
	"token_bucket": func(c ratelimit.Client) (ratelimit.Limiter, error) {
		return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: anyTable(), Rate: 3, Per: time.Hour, Now: newClock().Now})
	},
	"sliding_window": func(c ratelimit.Client) (ratelimit.Limiter, error) {
		return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: newClock().Now})
	},
	"fixed_window": func(c ratelimit.Client) (ratelimit.Limiter, error) {
		return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{Table: anyTable(), Limit: 3, Window: time.Hour, Now: newClock().Now})
	},
}

// requireThree requires that key is as good as unused.
func requireThree(t *testing.T, l ratelimit.Limiter) {
	t.Helper()
	d, err := l.Peek(t.Context(), "key")
	require.NoError(t, err)
	require.Equal(t, ratelimit.Decision{Allowed: true, Limit: 3, Remaining: 3}, d)
	for i := range 3 {
		d, err = l.Allow(t.Context(), "key")
		require.NoError(t, err)
		require.NoError(t, d.Cause)
		require.True(t, d.Allowed, "unit %d: %+v", i+1, d)
		require.Equal(t, 2-i, d.Remaining)
	}
	d, err = l.Allow(t.Context(), "key")
	require.NoError(t, err)
	require.False(t, d.Allowed)
	require.False(t, d.Degraded)
}

// TestExactPartialDamage mixes good and damaged times: the good ones count.
func TestExactPartialDamage(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	recent := n(strconv.FormatInt(now.Add(-time.Minute).UnixNano(), 10))
	for name, tc := range map[string]struct {
		slots item
		want  int
	}{
		"newest_is_text":  {item{"t1": s("x"), "t2": recent, "t3": n("0")}, 1},
		"middle_is_text":  {item{"t1": recent, "t2": s("x"), "t3": n("0")}, 2},
		"middle_missing":  {item{"t1": recent, "t3": n("0")}, 2},
		"oldest_missing":  {item{"t1": recent, "t2": recent}, 1},
		"oldest_is_early": {item{"t1": recent, "t2": recent, "t3": n("1.5")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t, anyTable(), faults.Plan{}, 1)
			tc.slots["PK"], tc.slots["SK"] = s("RATELIMIT#key"), s("SLIDING")
			e.put(t, tc.slots)
			l, err := limiterOf3["sliding_window"](e.client)
			require.NoError(t, err)
			d, err := l.Peek(t.Context(), "key")
			require.NoError(t, err)
			require.Equal(t, tc.want, d.Remaining)
			admitted := 0
			for range 4 {
				d, err := l.Allow(t.Context(), "key")
				require.NoError(t, err)
				require.False(t, d.Degraded)
				if d.Allowed {
					admitted++
				}
			}
			require.Equal(t, tc.want, admitted)
		})
	}
}

// TestExactClockFarAhead corrects a process's clock that was years ahead: neither the item nor the process's own memory lock the key for
// years.
func TestExactClockFarAhead(t *testing.T) {
	t.Parallel()
	for _, a := range algorithms() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			c, table := newClock(), newStore()
			l, err := a.limiter(table, c.Now)
			require.NoError(t, err)
			c.ns.Add(int64(10 * 365 * 24 * time.Hour))
			_, err = l.AllowN(t.Context(), "key", a.limit)
			require.NoError(t, err)
			c.ns.Add(-int64(10 * 365 * 24 * time.Hour))
			d, err := l.AllowN(t.Context(), "key", a.limit)
			require.NoError(t, err)
			require.True(t, d.Allowed)
			d, err = l.Allow(t.Context(), "key")
			require.NoError(t, err)
			require.False(t, d.Allowed)
		})
	}
}
