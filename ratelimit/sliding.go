package ratelimit

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// MaxSlidingLimit is the largest limit of a [SlidingWindow]. Each admission is kept as a time of 11 bytes with a name of two or three.
// Besides its key, an item of the limit 32 has about 500 bytes and is one write capacity unit whatever the key; one of the limit 64 has
// about 930, so that keys above 80 bytes, prefix included, make it two.
const MaxSlidingLimit = 64

// SlidingConfig configures [NewSlidingWindow].
type SlidingConfig struct {
	// Table is where the items are; its Name is required.
	Table Table
	// Limit is how many units are admitted in any span of length Window; required, 1 to [MaxSlidingLimit]. It may be changed while items
	// exist; only a limit that is lowered and raised again within one Window can forget admissions.
	Limit int
	// Window is the length of the window; required, up to 50 years, to the nanosecond.
	Window time.Duration
	// OnFailure decides when DynamoDB does not answer; default [Closed].
	OnFailure FailurePolicy
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Tuning has the limits of time and memory; its zero value has defaults.
	Tuning Tuning
	// Telemetry says where decisions are told; by default nowhere.
	Telemetry Telemetry
}

// SlidingWindow is an exact sliding window for small limits, such as three mails per hour: it remembers the time of each admission, so
// there is no burst at the boundary of a window, and RetryAfter is the moment when the oldest one leaves. In any span shorter than Window
// less the spread of the callers' clocks, at most Limit units are admitted. It is safe for concurrent use, and by any number of processes
// on the same table.
type SlidingWindow struct {
	*core[admissions]
}

// NewSlidingWindow returns a sliding window. It sends nothing; an error names the field of the configuration that is wrong.
func NewSlidingWindow(client Client, cfg SlidingConfig) (*SlidingWindow, error) {
	switch {
	case cfg.Limit < 1 || cfg.Limit > MaxSlidingLimit:
		return nil, badConfig("SlidingConfig.Limit is %d, not 1 to %d", cfg.Limit, MaxSlidingLimit)
	case cfg.Window <= 0 || cfg.Window > maxSpan:
		return nil, badConfig("SlidingConfig.Window is %v, not between 0 and %v", cfg.Window, time.Duration(maxSpan))
	}
	rules := slidingRules{slots: cfg.Limit, window: int64(cfg.Window)}
	c, err := newCore(client, rules, settings{
		table: cfg.Table, onFailure: cfg.OnFailure, clock: cfg.Now, tuning: cfg.Tuning, telemetry: cfg.Telemetry,
	})
	if err != nil {
		return nil, err
	}
	return &SlidingWindow{core: c}, nil
}

// TransactItem returns the admission of one unit for key as an action for the caller's own TransactWriteItems, so that the unit is used
// only if all of the transaction commits. The action asks for the old item on failure; the returned function reads that item, as the
// cancellation reason has it, into the denial. Both may be called concurrently, and neither sends anything. The action costs two write
// capacity units, like every transactional write.
//
// A denial whose Remaining is above 0 means that a unit is free but now is behind the newest admission of key: the caller's clock is behind
// another one. The function has learned that, so an action that is made anew, with any time, is admitted as long as a unit is free.
func (w *SlidingWindow) TransactItem(key string, now time.Time) (types.TransactWriteItem, func(old map[string]types.AttributeValue) Decision) {
	return w.transactItem(w.table.partition(key), nanos(now))
}
