package outbox

import (
	"errors"
	"fmt"
	"time"
)

// ErrShards says that a pack was written for another number of shards than the relay is configured with. Its aggregate may have packs in
// two shards, so nobody can say which comes first: the relay stops.
var ErrShards = errors.New("outbox: the number of shards differs between writer and relay")

// beginRead numbers a read of the shard. Between it and the end of the read, the caller must merge or forget what it read.
func (b *backlog) beginRead(shard int) (query int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	if s == nil {
		return 0
	}
	s.queries++
	return s.queries
}

// reading is one page of a shard, as it is merged into the backlog.
type reading struct {
	query int64
	packs []*pack
	now   time.Time
	// before, if not zero, leaves younger packs alone.
	before time.Time
	// only, if not nil, is the doubt that the page is to settle: other lanes are left as they are.
	only *doubt
}

// merged is what came of a page.
type merged struct {
	// found is how many packs were new.
	found int
	// skip is the aggregate whose further packs need not be read in this sweep, "" for none. It is that of the last pack.
	skip string
}

// merge takes the packs of a page into their lanes. Those that are known, published or not due are left out.
func (b *backlog) merge(shard int, r reading) (merged, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	if s == nil || !s.active {
		return merged{}, nil
	}
	for sort, deletedBy := range s.settled {
		if deletedBy < r.query {
			delete(s.settled, sort) // the read began after the change, so it shows what is
		}
	}
	var result merged
	blocked, touched := make(map[string]bool), []*lane(nil)
	for _, p := range r.packs {
		if p.shards != b.shardCount {
			return result, fmt.Errorf("%w: %d and %d", ErrShards, p.shards, b.shardCount)
		}
		result.skip = ""
		l, added := b.mergePack(s, p, r, blocked)
		if added {
			result.found++
		}
		if l != nil && (len(touched) == 0 || touched[len(touched)-1] != l) {
			touched = append(touched, l)
		}
		if blocked[p.aggregateID] || l != nil && l.full() {
			result.skip = p.aggregateID
		}
	}
	for _, l := range touched {
		if l.state != laneGone {
			b.settleDoubt(l)
			b.refresh(l, r.now)
		}
	}
	return result, nil
}

// mergePack takes one pack into its lane. Blocked collects the aggregates of which a pack was met that is not due.
func (b *backlog) mergePack(s *shardState, p *pack, r reading, blocked map[string]bool) (l *lane, added bool) {
	l = s.lanes[p.aggregateID]
	_, settled := s.settled[p.sort]
	if settled || blocked[p.aggregateID] || r.only != nil && !r.only.has(l) {
		return l, false
	}
	if !p.due(r.now, r.before, b.limits.MaxBackoff) {
		blocked[p.aggregateID] = true
		if l != nil && l.standsBehind(p) {
			b.drop(l)
			l = nil
		}
		return l, false
	}
	if l == nil {
		l = &lane{aggregateID: p.aggregateID, shard: s}
		l.last, _ = s.recent.Get(p.aggregateID)
		s.lanes[p.aggregateID] = l
	}
	added, evicted := l.insert(p)
	if added {
		s.packs++
		s.bytes += p.bytes
	}
	if evicted != nil {
		s.packs--
		s.bytes -= evicted.bytes
	}
	return l, added && evicted != p
}

// due reports whether the pack may be published: not held, not backing off, not younger than before. A back-off that ends later than the
// longest one can was stored by a relay whose clock was ahead, and does not count.
func (p *pack) due(now, before time.Time, longestBackoff time.Duration) bool {
	backsOff := p.nextAttemptAt.After(now) && !p.nextAttemptAt.After(now.Add(longestBackoff))
	return p.heldAt.IsZero() && !backsOff && (before.IsZero() || !p.createdAt.After(before))
}

// refresh makes a lane that waits, or has a new first pack, ready if it can publish.
func (b *backlog) refresh(l *lane, now time.Time) {
	if l.state != laneWaiting || len(l.packs) == 0 || !l.publishable() {
		return
	}
	head := l.packs[0]
	l.state, l.since = laneReady, now
	l.failures, l.failedCalls, l.firstFailedAt = head.attempts, 0, head.firstFailedAt
	b.ready = append(b.ready, l)
	signal(b.publishSignal)
}
