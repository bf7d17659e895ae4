package ratelimit

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FixedConfig configures [NewFixedWindow].
type FixedConfig struct {
	// Table is where the items are; its Name is required.
	Table Table
	// Limit is how many units each window admits; required, at least 1.
	Limit int
	// Window is the length of a window; required, in whole seconds, up to 50 years. Windows start at multiples of it since 1970 UTC.
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

// FixedWindow counts units in windows of fixed start, one item each: partition key RATELIMIT#{key}, sort key WINDOW#{start in epoch
// seconds}, count, ttl 60 seconds after the window's end, and the nonce of the last write. Each window admits at most Limit, whatever the
// callers' clocks show; two windows meet at a boundary, so a span shorter than Window can see up to twice the Limit. A caller whose clock
// is more than a minute behind can find its window's item deleted by TTL, and start it again. It is safe for concurrent use, and by any
// number of processes on the same table.
type FixedWindow struct {
	*core[tally]
}

// NewFixedWindow returns a fixed window. It sends nothing; an error names the field of the configuration that is wrong.
func NewFixedWindow(client Client, cfg FixedConfig) (*FixedWindow, error) {
	switch {
	case cfg.Limit < 1:
		return nil, badConfig("FixedConfig.Limit is %d", cfg.Limit)
	case cfg.Window < time.Second || cfg.Window > maxSpan || cfg.Window%time.Second != 0:
		return nil, badConfig("FixedConfig.Window is %v, not whole seconds between 1 s and %v", cfg.Window, time.Duration(maxSpan))
	}
	rules := fixedRules{max: cfg.Limit, window: int64(cfg.Window / time.Second)}
	c, err := newCore(client, rules, settings{
		table: cfg.Table, onFailure: cfg.OnFailure, clock: cfg.Now, tuning: cfg.Tuning, telemetry: cfg.Telemetry,
	})
	if err != nil {
		return nil, err
	}
	return &FixedWindow{core: c}, nil
}

// TransactItem returns the admission of one unit for key as an action for the caller's own TransactWriteItems, so that the unit is used
// only if all of the transaction commits. The action asks for the old item on failure; the returned function reads that item, as the
// cancellation reason has it, into the denial. Both may be called concurrently, and neither sends anything. The action costs two write
// capacity units, like every transactional write.
//
// A denial whose Remaining is above 0 means that the stored count was not a number; an action made anew replaces it.
func (w *FixedWindow) TransactItem(key string, now time.Time) (types.TransactWriteItem, func(old map[string]types.AttributeValue) Decision) {
	return w.transactItem(w.table.partition(key), nanos(now))
}
