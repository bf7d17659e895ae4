package outbox

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Relay publishes the events of an outbox. Any number of relays, in any number of processes, share the shards among themselves.
type Relay struct {
	store     store
	publisher Publisher
	cfg       RelayConfig
	stats     *statistics
	signals   signals
	// wakes has a channel for each shard that holds one signal.
	wakes []chan struct{}
}

// NewRelay returns a Relay, or an error that names the field that is wrong. It does no I/O.
func NewRelay(client Client, publisher Publisher, cfg RelayConfig) (*Relay, error) {
	switch {
	case client == nil:
		return nil, badConfig("the client is nil")
	case publisher == nil:
		return nil, badConfig("the publisher is nil")
	}
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	signals, err := newSignals(cfg.Publishing)
	if err != nil {
		return nil, err
	}
	r := &Relay{
		store:     store{client: client, table: cfg.Table},
		publisher: publisher,
		cfg:       cfg,
		stats:     newStatistics(),
		signals:   signals,
		wakes:     make([]chan struct{}, cfg.Shards),
	}
	for i := range r.wakes {
		r.wakes[i] = make(chan struct{}, 1)
	}
	return r, nil
}

// Run publishes until ctx ends. It then finishes what is in flight, deletes what it has published, gives its shards back and returns nil.
// It blocks, and all its goroutines have ended when it returns. A relay runs once at a time.
//
// An error says that the relay could not start (the table's keys, ErrTable, or the publisher's target), that it must not go on
// (ErrShards), or that it could not finish within ShutdownTimeout, so that some events may be published again by another relay. Failures
// in between are retried without end and seen in Stats and in the log.
func (r *Relay) Run(ctx context.Context) error { return r.run(ctx, false) }

// RunOnce publishes what there is and returns, for a job that runs every minute. Shards that a running relay holds are left to it. Events
// that failed several times in a row stay for the next run: look at Stats, or at Admin.Depth.
//
// It returns nil once all shards are drained, an error as Run does, the context's error if it ended before, or that of the publisher or the
// table if it fails again and again. After a relay that crashed, RunOnce waits LeaseDuration before it takes its shards. In a Lambda
// function, give it a context that ends ShutdownTimeout before the function's time is up.
func (r *Relay) RunOnce(ctx context.Context) error { return r.run(ctx, true) }

// Wake makes the relay look at the shards of the aggregates at once, or at all shards if none is named. It returns at once and does nothing
// about shards that another relay holds. Call it after a commit, or give it to the writer as WriterConfig.Wake.
func (r *Relay) Wake(aggregateIDs ...string) {
	if len(aggregateIDs) == 0 {
		for _, wake := range r.wakes {
			signal(wake)
		}
		return
	}
	for _, id := range aggregateIDs {
		signal(r.wakes[shardOf(id, r.cfg.Shards)])
	}
}

// Stats returns what the relay has done so far. For what is left to do, see Admin.Depth.
func (r *Relay) Stats() Stats { return r.stats.snapshot() }

// newID returns a name for one run. It is new each time: a relay that was taken for dead must not pass for its successor.
func (r *Relay) newID() string {
	if r.cfg.Name == "" {
		return uuid.NewString()
	}
	return fmt.Sprintf("%s/%s", r.cfg.Name, uuid.NewString())
}
