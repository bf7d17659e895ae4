package outbox

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// targetsPerRound and defaultRoundBytes bound what a handler holds in memory: of packs, and for each of streamReads at most one item more.
	targetsPerRound   = 256
	defaultRoundBytes = 16 << 20
	// streamReads is how many aggregates are read at a time.
	streamReads = 8
)

// StreamConfig configures a StreamHandler. The zero value of every field but Table is its default.
type StreamConfig struct {
	// Table is where the outbox lies, as the writers have it; required.
	Table Table
	// Shards is the number of shards, as the writers have it; default 16.
	Shards int

	Publishing

	// Margin is how long before the deadline of its context Handle stops sending and reports what is left; default 2 s.
	Margin time.Duration
}

// StreamHandler publishes the packs that a DynamoDB stream tells of, as a Lambda function behind the stream of the outbox's table. The
// records only say where to look: what is published is what the table still holds, so a batch that comes again repeats nothing that
// was deleted.
//
// It holds about 16 MiB of packs in memory at a time, however large the batch and its events are.
//
// It takes no leases. Let a Relay with MinAge sweep up behind it what a stream leaves: events that failed several times, and
// records that were lost. An event is published twice if the stream is later than MinAge.
type StreamHandler struct {
	store     store
	shards    int
	publisher Publisher
	cfg       StreamConfig
	stats     *statistics
	signals   signals
	checked   atomic.Bool
	// roundBytes is after how many bytes of packs no more are read until those are published.
	roundBytes int64
}

// NewStreamHandler returns a StreamHandler, or an error that names the field that is wrong. It does no I/O.
func NewStreamHandler(client Client, publisher Publisher, cfg StreamConfig) (*StreamHandler, error) {
	switch {
	case client == nil:
		return nil, badConfig("the client is nil")
	case publisher == nil:
		return nil, badConfig("the publisher is nil")
	case cfg.Margin < 0:
		return nil, badConfig("Margin is negative")
	}
	var err error
	if cfg.Table, err = cfg.Table.withDefaults(); err != nil {
		return nil, err
	}
	if cfg.Shards, err = checkShards(cfg.Shards); err != nil {
		return nil, err
	}
	if cfg.Publishing, err = cfg.Publishing.withDefaults(); err != nil {
		return nil, err
	}
	signals, err := newSignals(cfg.Publishing)
	if err != nil {
		return nil, err
	}
	cfg.Margin = cmp.Or(cfg.Margin, 2*time.Second)
	return &StreamHandler{
		store:     store{client: client, table: cfg.Table},
		shards:    cfg.Shards,
		publisher: publisher,
		cfg:       cfg,
		stats:     newStatistics(),
		signals:   signals,

		roundBytes: defaultRoundBytes,
	}, nil
}

// Stats returns what the handler has done so far.
func (h *StreamHandler) Stats() Stats { return h.stats.snapshot() }

// Handle publishes the packs of one batch of records, and all earlier ones of their aggregates. It names the records whose aggregates could
// not be finished: the table could not be read, the publisher is down, or time ran out. Rejected events follow the policy, and events that
// fail alone are left to the sweeping relay; neither is named, because a stream that waits for one event waits with all.
//
// An error concerns the whole batch: the event is not one of a stream, the table or the publisher is not as configured, or ErrShards. A
// batch costs 1 read unit or more for each aggregate in it.
func (h *StreamHandler) Handle(ctx context.Context, event json.RawMessage) (StreamResponse, error) {
	response := StreamResponse{BatchItemFailures: []StreamFailure{}} // Lambda takes null for a failure of the whole
	targets, err := h.store.table.parseStreamEvent(event)
	if err != nil {
		return response, err
	}
	if len(targets) == 0 {
		return response, nil
	}
	if err := h.check(ctx); err != nil {
		return response, err
	}
	failed, err := h.publish(ctx, targets)
	if err != nil {
		return response, err
	}
	for _, target := range failed {
		for _, record := range target.records {
			response.BatchItemFailures = append(response.BatchItemFailures, StreamFailure{ItemIdentifier: record})
		}
	}
	return response, nil
}

// check makes the checks of a relay's start, until they have succeeded once.
func (h *StreamHandler) check(ctx context.Context) error {
	if h.checked.Load() {
		return nil
	}
	if err := h.store.checkTable(ctx); err != nil {
		return err
	}
	if err := checkPublisher(ctx, h.publisher); err != nil {
		return err
	}
	h.checked.Store(true)
	return nil
}

// publish returns the targets that are not finished.
func (h *StreamHandler) publish(ctx context.Context, targets []*streamTarget) ([]*streamTarget, error) {
	b := newStreamBatch(h)
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	io := context.WithoutCancel(ctx)
	if deadline, ok := ctx.Deadline(); ok {
		timer := time.AfterFunc(time.Until(deadline)-h.cfg.Margin, func() { stop(context.DeadlineExceeded) })
		defer timer.Stop()
		var cancel context.CancelFunc
		io, cancel = context.WithDeadline(io, deadline.Add(-h.cfg.Margin/4))
		defer cancel()
	}
	b.pipeline.callFailing = func(calls int, err error) {
		if calls >= giveUpAfter {
			stop(fmt.Errorf("outbox: publish: %w", err))
		}
	}
	var publishing, cleaning sync.WaitGroup
	publishing.Go(func() { b.pipeline.publish(working, io) })
	cleaning.Go(func() { b.pipeline.clean(io) })

	failed, err := b.rounds(working, targets)

	stop(nil)
	for shard := range h.shards {
		b.pipeline.backlog.deactivate(shard)
	}
	publishing.Wait()
	b.pipeline.backlog.beginFlush()
	cleaning.Wait()
	return failed, err
}

// streamBatch is one batch at work.
type streamBatch struct {
	handler  *StreamHandler
	pipeline *pipeline
	// bytes is what was read in the round.
	bytes atomic.Int64
}

// full reports whether no more is to be read in the round.
func (b *streamBatch) full() bool { return b.bytes.Load() >= b.handler.roundBytes }

func newStreamBatch(h *StreamHandler) *streamBatch {
	b := &streamBatch{handler: h, pipeline: newPipeline(h.store, h.publisher, h.cfg.Publishing, h.shards, h.stats, h.signals)}
	for shard := range h.shards {
		b.pipeline.backlog.activate(shard)
	}
	b.pipeline.backlog.extend(time.Now().Add(24 * time.Hour)) // no lease bounds it, only the deadline of the batch
	return b
}

// rounds works off the targets, some at a time, and returns those that are not finished.
func (b *streamBatch) rounds(ctx context.Context, targets []*streamTarget) (failed []*streamTarget, err error) {
	for len(targets) > 0 && ctx.Err() == nil {
		n := min(len(targets), targetsPerRound)
		again, unread, err := b.round(ctx, targets[:n])
		if err != nil {
			return nil, err
		}
		failed = append(failed, unread...)
		targets = append(again, targets[n:]...)
	}
	if len(targets) > 0 {
		b.handler.cfg.Logger.WarnContext(ctx, "outbox: batch of the stream not finished", "left", len(targets), "cause", context.Cause(ctx))
	}
	return append(failed, targets...), nil
}

// round publishes what is waiting of the targets. Again are those that had more than is held in memory, or that were cut off; unread are
// those that could not be read.
func (b *streamBatch) round(ctx context.Context, targets []*streamTarget) (again, unread []*streamTarget, err error) {
	b.bytes.Store(0)
	var (
		mu      sync.Mutex
		wrong   error
		readers sync.WaitGroup
	)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	slots := make(chan struct{}, streamReads)
	for _, target := range targets {
		slots <- struct{}{}
		readers.Go(func() {
			defer func() { <-slots }()
			more, err := b.read(reading, target)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, ErrShards):
				wrong = cmp.Or(wrong, err)
				stop()
			case err != nil:
				b.handler.cfg.Logger.WarnContext(ctx, "outbox: read failed", "shard", target.shard, "error", err)
				unread = append(unread, target)
			case more:
				again = append(again, target)
			}
		})
	}
	readers.Wait()
	if wrong != nil {
		return nil, nil, wrong
	}
	if !b.settle(ctx) {
		return targets, nil, nil
	}
	return again, unread, nil
}

// read takes the waiting packs of the target into the backlog, and reports whether there are more. All that precede the target's last record
// were committed before it, so one read after the record shows them.
func (b *streamBatch) read(ctx context.Context, target *streamTarget) (more bool, err error) {
	if b.full() {
		return true, nil
	}
	s, backlog := b.handler.store, b.pipeline.backlog
	r := reading{query: backlog.beginRead(target.shard)}
	items := s.items(ctx, span{
		partition: s.table.waiting(target.shard), from: packSort(target.aggregateID, 0), to: packSort(target.aggregateID, target.through),
	})
	for it, err := range items {
		if err != nil {
			return false, err
		}
		p, err := s.table.decodePack(target.shard, it)
		switch {
		case err != nil:
			b.handler.stats.malformed()
			b.handler.cfg.Logger.ErrorContext(ctx, "outbox: item is no pack", "shard", target.shard)
		case len(r.packs) == laneCap, len(r.packs) > 0 && b.full():
			more = true
		default:
			r.packs = append(r.packs, p)
			b.bytes.Add(int64(p.bytes))
		}
		if more {
			break
		}
	}
	r.now = time.Now()
	m, err := backlog.merge(target.shard, r)
	if err != nil {
		return false, err
	}
	if d := backlog.doubtOf(target.shard); d != nil {
		backlog.confirm(d, r.now)
	}
	return more && m.found > 0, nil
}

// settle waits until all that was read is published and deleted, or left to the relay. It reports false if ctx ended before.
func (b *streamBatch) settle(ctx context.Context) bool {
	for shard := range b.handler.shards {
		select {
		case <-b.pipeline.backlog.whenIdle(shard):
		case <-ctx.Done():
			return false
		}
	}
	return true
}
