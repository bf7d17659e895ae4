package outbox

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Pack is a group of events as it lies in the outbox: those of one transaction that are not published, or one dead letter.
type Pack struct {
	// AggregateID is what the events happened to.
	AggregateID string
	// Events are the events that are not settled, in their order, with their payloads.
	Events []Event
	// CreatedAt is the time of the first event of the transaction.
	CreatedAt time.Time
	// Attempts is how often the first of Events has failed. The first failures are not stored, so it is 0 until the third.
	Attempts int
	// Error is the code and message of the last failure.
	Error string
	// FirstFailedAt and LastFailedAt are when it failed; zero if it has not, or if that was not stored.
	FirstFailedAt, LastFailedAt time.Time
	// NextAttemptAt is when a waiting pack is tried again; zero if at once.
	NextAttemptAt time.Time
	// HeldAt is when a waiting pack was set aside by the policy Hold; zero if it was not.
	HeldAt time.Time
}

// Waiting yields the packs that are not published: of one aggregate in their order, or of all if aggregateID is empty. It reads as it is
// iterated over, strongly consistent, at 1 read unit per 4 KiB. An item that is no pack gives an error and the iteration goes on; after any
// other error it ends.
func (a *Admin) Waiting(ctx context.Context, aggregateID string) iter.Seq2[Pack, error] {
	return a.list(ctx, aggregateID, a.store.table.waiting)
}

// Dead yields the dead letters, each with one event: of one aggregate, or of all if aggregateID is empty. It reads as Waiting does.
func (a *Admin) Dead(ctx context.Context, aggregateID string) iter.Seq2[Pack, error] {
	return a.list(ctx, aggregateID, a.store.table.dead)
}

func (a *Admin) list(ctx context.Context, aggregateID string, partitionOf func(shard int) string) iter.Seq2[Pack, error] {
	return func(yield func(Pack, error) bool) {
		for p, err := range a.packs(ctx, aggregateID, partitionOf) {
			var public Pack
			if err == nil {
				public = p.public()
			}
			if !yield(public, err) {
				return
			}
		}
	}
}

// packs yields the packs of one aggregate, or of all. It goes on after errMalformed, which concerns one item.
func (a *Admin) packs(ctx context.Context, aggregateID string, partitionOf func(shard int) string) iter.Seq2[*pack, error] {
	return func(yield func(*pack, error) bool) {
		first, last := 0, a.shards-1
		if aggregateID != "" {
			first = shardOf(aggregateID, a.shards)
			last = first
		}
		for shard := first; shard <= last; shard++ {
			sp := span{partition: partitionOf(shard)}
			if aggregateID != "" {
				sp.from, sp.to = packSort(aggregateID, 0), endOf(aggregateID)
			}
			for it, err := range a.store.items(ctx, sp) {
				if err != nil {
					yield(nil, fmt.Errorf("outbox: list: %w", err))
					return
				}
				p, err := a.store.table.decodePack(shard, it)
				if err != nil {
					if !yield(nil, fmt.Errorf("outbox: list: shard %d: %w", shard, err)) {
						return
					}
					continue
				}
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func (p *pack) public() Pack {
	return Pack{
		AggregateID:   p.aggregateID,
		Events:        p.events[p.done:],
		CreatedAt:     p.createdAt,
		Attempts:      p.attempts,
		Error:         p.lastError,
		FirstFailedAt: p.firstFailedAt,
		LastFailedAt:  p.lastFailedAt,
		NextAttemptAt: p.nextAttemptAt,
		HeldAt:        p.heldAt,
	}
}
