package outbox

import (
	"cmp"
	"log/slog"
	"maps"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// RelayConfig configures a Relay. The zero value of every field but Table is its default.
type RelayConfig struct {
	// Table is where the outbox lies, as the writers have it; required.
	Table Table
	// Shards is the number of shards, as the writers have it; default 16.
	Shards int
	// Name stands in the relay's id, which is in leases and logs, for people to recognize: at most 64 visible ASCII characters; may be empty.
	// Relays may have the same name.
	Name string

	// LeaseDuration is how long a relay must be silent before others take its shards; 1 s to 5 min, default 10 s. A relay
	// writes once and reads once every fifth of it.
	LeaseDuration time.Duration
	// PollInterval is how soon a shard that was read to its end is read again if it had something new, and MaxPollInterval how
	// soon after several reads that had nothing: the wait doubles in between. 10 ms to 1 min, default 50 ms and 2 s. Each read
	// costs at least 1 read unit. Wake cuts the wait short.
	PollInterval    time.Duration
	MaxPollInterval time.Duration
	// MinAge makes the relay leave packs alone whose first event is younger, by its Time: for a relay that only sweeps up behind a
	// StreamHandler, a few minutes there. Default 0.
	MinAge time.Duration

	Publishing

	// ShutdownTimeout is how long Run and RunOnce go on after their context ends, to finish what is in flight; default 10 s.
	ShutdownTimeout time.Duration
}

// Publishing configures how events are handed to a publisher, and what happens to those that it does not take.
type Publishing struct {
	// BatchEntries is the most events in one call, 1 to 100, default 10, the limit of PutEvents and SendMessageBatch.
	BatchEntries int
	// BatchBytes is about the most bytes in one call, at least 1 KiB, default 256 KiB. A single event may be larger.
	BatchBytes int
	// Concurrency is the most calls in flight, 1 to 256, default 8.
	Concurrency int
	// PublishTimeout bounds one call with the publisher's own retries; default 5 s. A call that is cut off may have published.
	PublishTimeout time.Duration
	// MaxBackoff is the longest wait between two attempts at an event, at least 100 ms, default 1 min. Relays of one outbox should have the same:
	// a longer wait that another one has stored counts for nothing, because its clock may have been ahead.
	MaxBackoff time.Duration
	// MaxAttempts is how often an event may fail, without being rejected, before the policy is applied to it; default 0, no limit.
	MaxAttempts int
	// Policies says by type what becomes of an event that cannot be published, DefaultPolicy what becomes of all other types. The default
	// is DeadLetter.
	Policies      map[string]Policy
	DefaultPolicy Policy
	// Logger gets one record for each failed call, dead letter, held aggregate and lease that changes hands, never a payload. Default: none.
	Logger *slog.Logger
	// TracerProvider takes a span for each call to the publisher, MeterProvider the metrics of docs/observability.md. Default: none; the global
	// providers are never used.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider
}

// withDefaults returns the configuration with its defaults filled in, or an error that names the field that is wrong.
func (c RelayConfig) withDefaults() (RelayConfig, error) {
	var err error
	if c.Table, err = c.Table.withDefaults(); err != nil {
		return c, err
	}
	if c.Shards, err = checkShards(c.Shards); err != nil {
		return c, err
	}
	if c.Publishing, err = c.Publishing.withDefaults(); err != nil {
		return c, err
	}
	c.LeaseDuration = cmp.Or(c.LeaseDuration, 10*time.Second)
	c.PollInterval = cmp.Or(c.PollInterval, 50*time.Millisecond)
	c.MaxPollInterval = cmp.Or(c.MaxPollInterval, max(2*time.Second, c.PollInterval))
	c.ShutdownTimeout = cmp.Or(c.ShutdownTimeout, 10*time.Second)
	switch {
	case c.Name != "" && !isASCII(c.Name, '!', 64):
		return c, badConfig("Name is not 1–64 visible ASCII characters")
	case c.LeaseDuration < time.Second || c.LeaseDuration > 5*time.Minute:
		return c, badConfig("LeaseDuration is %v, want 1s to 5m", c.LeaseDuration)
	case c.PollInterval < 10*time.Millisecond || c.PollInterval > time.Minute:
		return c, badConfig("PollInterval is %v, want 10ms to 1m", c.PollInterval)
	case c.MaxPollInterval < c.PollInterval || c.MaxPollInterval > time.Minute:
		return c, badConfig("MaxPollInterval is %v, want PollInterval to 1m", c.MaxPollInterval)
	case c.MinAge < 0:
		return c, badConfig("MinAge is negative")
	case c.ShutdownTimeout < 0:
		return c, badConfig("ShutdownTimeout is negative")
	}
	return c, nil
}

func (c Publishing) withDefaults() (Publishing, error) {
	c.BatchEntries = cmp.Or(c.BatchEntries, 10)
	c.BatchBytes = cmp.Or(c.BatchBytes, defaultMaxEventBytes)
	c.Concurrency = cmp.Or(c.Concurrency, 8)
	c.PublishTimeout = cmp.Or(c.PublishTimeout, 5*time.Second)
	c.MaxBackoff = cmp.Or(c.MaxBackoff, time.Minute)
	c.Policies = maps.Clone(c.Policies)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.BatchEntries < 1 || c.BatchEntries > 100:
		return c, badConfig("BatchEntries is %d, want 1 to 100", c.BatchEntries)
	case c.BatchBytes < minMaxEventBytes:
		return c, badConfig("BatchBytes is %d, want at least %d", c.BatchBytes, minMaxEventBytes)
	case c.Concurrency < 1 || c.Concurrency > 256:
		return c, badConfig("Concurrency is %d, want 1 to 256", c.Concurrency)
	case c.PublishTimeout < 0:
		return c, badConfig("PublishTimeout is negative")
	case c.MaxBackoff < firstBackoff:
		return c, badConfig("MaxBackoff is %v, want at least %v", c.MaxBackoff, firstBackoff)
	case c.MaxAttempts < 0:
		return c, badConfig("MaxAttempts is negative")
	case !c.DefaultPolicy.valid():
		return c, badConfig("DefaultPolicy is %d, want DeadLetter or Hold", c.DefaultPolicy)
	}
	for eventType, policy := range c.Policies {
		if !policy.valid() {
			return c, badConfig("Policies[%q] is %d, want DeadLetter or Hold", eventType, policy)
		}
	}
	return c, nil
}

// policyOf returns the policy for events of the type.
func (c Publishing) policyOf(eventType string) Policy {
	if policy, ok := c.Policies[eventType]; ok {
		return policy
	}
	return c.DefaultPolicy
}
