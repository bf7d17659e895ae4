package ratelimit_test

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/ratelimit"
)

// clock is a clock that the test moves, also backwards.
type clock struct{ ns atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ns.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time { return time.Unix(0, c.ns.Load()) }

// transactor is a limiter that can take part in a caller's transaction.
type transactor interface {
	TransactItem(key string, now time.Time) (types.TransactWriteItem, func(item) ratelimit.Decision)
}

// algorithm is one limiter configuration with its reference.
type algorithm struct {
	name      string
	limit     int
	unit      time.Duration // a time in which something changes
	back      time.Duration // how far the clock may be behind the latest time it has shown
	limiter   func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error)
	reference func() reference
}

func algorithms() []algorithm {
	bucket := func(rate int, per time.Duration, burst int) algorithm {
		interval := (int64(per) + int64(rate) - 1) / int64(rate)
		return algorithm{
			name: fmt.Sprintf("bucket_%d_per_%v_burst_%d", rate, per, burst), limit: burst, unit: time.Duration(interval), back: time.Hour,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: anyTable(), Rate: rate, Per: per, Burst: burst, Now: now})
			},
			reference: func() reference { return referenceBucket{burst, interval, map[string]credit{}} },
		}
	}
	sliding := func(limit int, window time.Duration) algorithm {
		return algorithm{
			name: fmt.Sprintf("sliding_%d_per_%v", limit, window), limit: limit, unit: window / time.Duration(limit), back: time.Hour,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
			},
			reference: func() reference { return referenceLog{limit, int64(window), map[string][]int64{}} },
		}
	}
	fixed := func(limit int, window time.Duration) algorithm {
		return algorithm{
			name: fmt.Sprintf("fixed_%d_per_%v", limit, window), limit: limit, unit: window / time.Duration(limit), back: 55 * time.Second,
			limiter: func(c ratelimit.Client, now func() time.Time) (ratelimit.Limiter, error) {
				return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{Table: anyTable(), Limit: limit, Window: window, Now: now})
			},
			reference: func() reference {
				return referenceWindows{limit, int64(window), map[windowOf]int{}, map[callerOf]int64{}}
			},
		}
	}
	return []algorithm{
		bucket(10, time.Second, 50), bucket(3, time.Second, 4), bucket(1, time.Hour, 1),
		sliding(3, time.Hour), sliding(1, time.Second), sliding(20, time.Minute),
		fixed(3, time.Hour), fixed(50, 7*time.Second), fixed(1, time.Second),
	}
}

func anyTable() ratelimit.Table { return ratelimit.Table{Name: "limits"} }
