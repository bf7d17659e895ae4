package outbox

import (
	"slices"
	"time"
)

const (
	// deleteBatch is the most that BatchWriteItem takes.
	deleteBatch = 25
	// deleteLinger is how long a deletion waits at most for others to fill its request.
	deleteLinger = 10 * time.Millisecond
	// maxCleanCalls is how many requests for deletions and saves are in flight at most.
	maxCleanCalls = 4
)

// deletion is one published pack that is to be deleted.
type deletion struct {
	shard *shardState
	sort  string
	since time.Time
	// stored is the pack's progress that the table knows of. Above 0, an event of the pack may be a dead letter that an operator can give
	// back under the pack's own key once that is gone. So the deletion is conditional, lest a late one removes what was given back.
	stored int
}

// chores is what one request does: delete packs, or store how far one has got.
type chores struct {
	deletions []deletion
	save      *pack
}

// takeChores returns the next request, or nil and how long to wait unless a signal comes first. Done means that there is nothing left
// and that the backlog is being flushed.
func (b *backlog) takeChores(now time.Time) (c *chores, wait time.Duration, done bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cleanCalls >= maxCleanCalls {
		return nil, never, false
	}
	if len(b.saves) > 0 {
		c = &chores{save: b.saves[0]}
		b.saves = b.saves[1:]
		b.cleanCalls++
		return c, 0, false
	}
	if len(b.deletions) == 0 {
		return nil, never, b.flush && b.cleanCalls == 0
	}
	oldest, n := b.deletions[0], b.nextDeletions()
	waited := now.Sub(oldest.since)
	if len(b.deletions) < deleteBatch && waited < deleteLinger && !b.flush && oldest.shard.active {
		return nil, deleteLinger - waited, false
	}
	c = &chores{deletions: slices.Clone(b.deletions[:n])}
	b.deletions = b.deletions[n:]
	b.cleanCalls++
	return c, 0, false
}

// nextDeletions is how many of the deletions go into the next request: a conditional one goes alone.
func (b *backlog) nextDeletions() int {
	for n, d := range b.deletions {
		switch {
		case n == deleteBatch:
			return n
		case d.stored > 0:
			return max(n, 1)
		}
	}
	return len(b.deletions)
}

// deleted ends a request for deletions. Those left over were not carried out, and are taken again.
func (b *backlog) deleted(c *chores, left []deletion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cleanCalls--
	undone := make(map[deletion]bool, len(left))
	for _, d := range left {
		undone[d] = true
	}
	for _, d := range c.deletions {
		if undone[d] {
			b.deletions = append(b.deletions, d)
			continue
		}
		d.shard.settled[d.sort] = d.shard.queries
		d.shard.cleaning--
		b.askForRoom(d.shard)
		b.settleQuiet(d.shard)
	}
	signal(b.cleanSignal)
}

// saved ends a request that stored the progress of a pack, or tried to.
func (b *backlog) saved(p *pack) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cleanCalls--
	if s := b.shards[p.shard]; s != nil {
		s.cleaning--
		b.settleQuiet(s)
	}
	signal(b.cleanSignal)
}

// beginFlush makes deletions go out without waiting for company; takeChores then says when all are done.
func (b *backlog) beginFlush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flush = true
	signal(b.cleanSignal)
}
