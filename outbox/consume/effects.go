package consume

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/outbox"
)

// EffectsConfig configures Effects.
type EffectsConfig struct {
	// Table is where the claims lie, one item per event. Different effects of the same events need different KeyPrefix or SortValue.
	Table Table
	// TTLAttribute is the attribute that DynamoDB's TTL is switched on for, in epoch seconds; default ttl.
	TTLAttribute string
	// Lease is how long one delivery may act before another may take over; 1 s to 12 h, default 1 min. The visibility timeout of the queue
	// should be as long or longer: a message that comes back earlier finds the claim in progress.
	Lease time.Duration
	// Retention is how long it is remembered that an effect is done; at least 24 h, default 30 days. It must outlast every redelivery:
	// the retention of the queue and of its dead-letter queue, 14 days each at most. An event that comes later still is acted on again.
	Retention time.Duration
	// Now is the clock; default time.Now. Leases are compared across processes, so their clocks should differ by much less than Lease.
	Now func() time.Time
}

// withDefaults returns the configuration with its defaults filled in, or an error that names the field that is wrong.
func (c EffectsConfig) withDefaults() (EffectsConfig, error) {
	var err error
	if c.Table, err = c.Table.withDefaults("EFFECT#", "EFFECT"); err != nil {
		return c, err
	}
	c.TTLAttribute = cmp.Or(c.TTLAttribute, "ttl")
	c.Lease = cmp.Or(c.Lease, time.Minute)
	c.Retention = cmp.Or(c.Retention, 30*24*time.Hour)
	if c.Now == nil {
		c.Now = time.Now
	}
	switch {
	case c.Lease < time.Second || c.Lease > 12*time.Hour:
		return c, badConfig("Lease is %v, want 1s to 12h", c.Lease)
	case c.Retention < 24*time.Hour:
		return c, badConfig("Retention is %v, want at least 24h", c.Retention)
	}
	own := map[string]bool{attrFence: true, attrClaimant: true, attrClaimedUntil: true, attrDoneAt: true}
	for _, name := range []string{c.Table.PartitionKey, c.Table.SortKey, c.TTLAttribute} {
		if own[name] {
			return c, badConfig("Table or TTLAttribute uses the attribute name %q twice, or one that Effects needs for itself", name)
		}
		own[name] = true
	}
	return c, nil
}

// noteTimeout bounds the request after the effect, which goes on when the caller's context has ended.
const noteTimeout = 3 * time.Second

// Effects carries out what an event causes outside of DynamoDB: a mail, a payment. Nothing can make such an effect and the note of it one
// step, so an effect may be tried again; the receiver makes it one by the idempotency key. Its methods may be called concurrently.
type Effects struct {
	client Client
	cfg    EffectsConfig
}

// NewEffects returns Effects, or an error that names the field that is wrong. It sends nothing.
func NewEffects(client Client, cfg EffectsConfig) (*Effects, error) {
	if client == nil {
		return nil, badConfig("client is nil")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Effects{client: client, cfg: cfg}, nil
}

// Claim is the right to act on an event for the length of the lease.
type Claim struct {
	// IdempotencyKey is the same for every try: the event's id. The receiver of the effect must drop repetitions by it.
	IdempotencyKey string
	// Fence grows with every claim on the event. A receiver that remembers it can refuse a holder whose lease has run out: it takes
	// nothing with a number below the highest that it has seen. It starts anew when the claim has expired, see Retention.
	Fence int64
}

// Do calls act unless the effect is known to be done, and notes that it is. Act gets a context that ends with the lease. An error of act
// gives the claim back at once and is returned; the effect is then to be tried again.
//
// The outcome is Applied, or Duplicate if the effect was done before, both with a nil error. Otherwise it is Unknown with ErrInProgress,
// ErrClaimLost, ErrMalformed, ErrDamaged, the error of act or that of the client. After ErrClaimLost, and after the client's error, the
// effect may have been made; delivering the event again is safe as far as the receiver goes by the idempotency key.
//
// When ctx ends while act is at work, what became of the effect is still noted: Do returns up to 3 s later. It costs 2 requests and 2 write
// units, a repetition 1 and 1.
func (f *Effects) Do(ctx context.Context, e outbox.Event, act func(context.Context, Claim) error) (Outcome, error) {
	if err := validate(e); err != nil {
		return Unknown, err
	}
	// The lease is timed from before the claim is sent, so that acting ends before others may begin.
	acting, cancel := context.WithTimeout(ctx, f.cfg.Lease)
	defer cancel()
	fence, err := f.claim(acting, e.ID, uuid.NewString())
	switch {
	case errors.Is(err, errDone):
		return Duplicate, nil
	case err != nil:
		return Unknown, err
	}
	err = act(acting, Claim{IdempotencyKey: e.ID, Fence: fence})
	// What became of it is to be noted also if ctx has ended meanwhile, as it does when a program shuts down.
	noting, cancelNoting := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancelNoting()
	if err != nil {
		return Unknown, errors.Join(err, f.release(noting, e.ID, fence))
	}
	switch err := f.complete(noting, e.ID, fence); {
	case errors.Is(err, errDone):
		return Duplicate, nil
	case err != nil:
		return Unknown, err
	}
	return Applied, nil
}
