package ratelimit

import (
	"cmp"
	"time"
)

// BucketConfig configures [NewTokenBucket].
type BucketConfig struct {
	// Table is where the items are; its Name is required.
	Table Table
	// Rate is how many tokens the bucket gains in each Per; required, 1 to 1,000,000,000. The time for one token, Per/Rate, is rounded up
	// to a nanosecond.
	Rate int
	// Per is the time in which the bucket gains Rate tokens; default one second, up to 50 years.
	Per time.Duration
	// Burst is how many tokens the bucket holds, and so the most that can be taken at once; default Rate. Filling an empty bucket may take
	// up to 50 years.
	Burst int
	// OnFailure decides when DynamoDB does not answer; default [Closed].
	OnFailure FailurePolicy
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Tuning has the limits of time and memory; its zero value has defaults.
	Tuning Tuning
	// Telemetry says where decisions are told; by default nowhere.
	Telemetry Telemetry
}

// TokenBucket is a token bucket: a burst is admitted at once, and then one unit whenever a token has come in. In any span t, at most Burst
// + Rate·(t + skew)/Per units are admitted, where skew is the spread of the callers' clocks. It is safe for concurrent use, and by any
// number of processes on the same table.
type TokenBucket struct {
	*core[arrival]
}

// NewTokenBucket returns a token bucket. It sends nothing; an error names the field of the configuration that is wrong.
func NewTokenBucket(client Client, cfg BucketConfig) (*TokenBucket, error) {
	per := cmp.Or(cfg.Per, time.Second)
	burst := cmp.Or(cfg.Burst, cfg.Rate)
	switch {
	case cfg.Rate < 1 || int64(cfg.Rate) > int64(time.Second):
		return nil, badConfig("BucketConfig.Rate is %d, not 1 to 1,000,000,000", cfg.Rate)
	case per < 0 || per > maxSpan:
		return nil, badConfig("BucketConfig.Per is %v, not between 0 and %v", per, time.Duration(maxSpan))
	case burst < 1:
		return nil, badConfig("BucketConfig.Burst is %d", burst)
	}
	interval := (int64(per) + int64(cfg.Rate) - 1) / int64(cfg.Rate)
	if int64(burst) > int64(maxSpan)/interval {
		return nil, badConfig("BucketConfig.Burst is %d: filling the bucket would take more than %v", burst, time.Duration(maxSpan))
	}
	rules := gcra{burst: burst, interval: interval}
	c, err := newCore(client, rules, settings{
		table: cfg.Table, onFailure: cfg.OnFailure, clock: cfg.Now, tuning: cfg.Tuning, telemetry: cfg.Telemetry,
	})
	if err != nil {
		return nil, err
	}
	return &TokenBucket{core: c}, nil
}
