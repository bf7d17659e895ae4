package outbox

import (
	"context"
	"fmt"
	"time"
)

// Depth is how much one shard holds.
type Depth struct {
	Shard int
	// Waiting is the number of packs that are not published; those held and backing off are among them, and items that are no packs.
	Waiting int
	// Held is the number of packs that the policy Hold has set aside. The later packs of their aggregates are not counted.
	Held int
	// Failing is the number of packs that failed several times and wait for their next attempt.
	Failing int
	// Dead is the number of dead letters.
	Dead int
	// Oldest is the time of the oldest event transaction that waits and is not held; zero if none does. Its age is how far
	// publication lags behind.
	Oldest time.Time
}

// Depth returns how much each shard holds, in the order of shards. It reads the whole outbox, without payloads but at their cost, 1 read
// unit per 4 KiB: for a metric every minute and for operators, not for requests. Its memory does not depend on what it reads.
func (a *Admin) Depth(ctx context.Context) ([]Depth, error) {
	depths := make([]Depth, a.shards)
	for shard := range depths {
		d := &depths[shard]
		d.Shard = shard
		if err := a.countWaiting(ctx, d); err != nil {
			return nil, fmt.Errorf("outbox: depth: %w", err)
		}
		dead := span{partition: a.store.table.dead(shard), only: []string{attrCreatedAt}}
		for _, err := range a.store.items(ctx, dead) {
			if err != nil {
				return nil, fmt.Errorf("outbox: depth: %w", err)
			}
			d.Dead++
		}
	}
	a.gauges.set(ctx, depths, time.Now())
	return depths, nil
}

func (a *Admin) countWaiting(ctx context.Context, d *Depth) error {
	waiting := span{partition: a.store.table.waiting(d.Shard), only: []string{attrCreatedAt, attrHeldAt, attrNextAttemptAt}}
	for it, err := range a.store.items(ctx, waiting) {
		if err != nil {
			return err
		}
		d.Waiting++
		if !timeOf(it, attrHeldAt).IsZero() {
			d.Held++
			continue
		}
		if !timeOf(it, attrNextAttemptAt).IsZero() {
			d.Failing++
		}
		if at := timeOf(it, attrCreatedAt); !at.IsZero() && (d.Oldest.IsZero() || at.Before(d.Oldest)) {
			d.Oldest = at
		}
	}
	return nil
}
