package outbox

import (
	"slices"
	"time"
)

// laneCap is the most packs of one aggregate that are held in memory: enough to keep it busy until the next sweep, too few to crowd others
// out.
const laneCap = 32

// laneState is where a lane stands.
type laneState int

const (
	laneWaiting laneState = iota // its first pack may not be the next one, see publishable
	laneReady                    // in the queue of lanes that can publish
	laneDelayed                  // backs off
	laneFlying                   // its first event is being published, or its failure being stored
	laneGone                     // no longer part of the backlog
)

// lane is the queue of one aggregate: what makes its events go one after another.
type lane struct {
	aggregateID string
	shard       *shardState
	state       laneState
	// packs are in the order of seq. The first one is in flight if the state is laneFlying.
	packs []*pack
	// last is the number of the last event that was settled, 0 if unknown.
	last int64
	// confirmed is a number below which no pack can turn up any more.
	confirmed int64
	// since is when the lane became ready, or until when it is delayed.
	since time.Time
	// failures counts the failed attempts at the first event, failedCalls the failed calls that it was in since. The latter say
	// nothing of the event itself.
	failures, failedCalls int
	firstFailedAt         time.Time
	// seenSucceeded is how many calls of all had succeeded when one of its own last failed.
	seenSucceeded int
}

// event is the next one to publish.
func (l *lane) event() Event {
	head := l.packs[0]
	return head.events[head.done]
}

// solo reports whether the next event is to have a call of its own.
func (l *lane) solo() bool { return max(l.failures, l.failedCalls) >= soloAfter }

// publishable reports whether the first pack is surely the next one of its aggregate. A Query is only read-committed against
// transactions: it may have passed the place of an earlier pack before that was committed, and still have seen a later one. So a pack is
// the next one if its number follows the last one published, if it was begun already, if it is the very first, or if a second read has
// found none before it.
func (l *lane) publishable() bool {
	head := l.packs[0]
	return head.done > 0 || head.seq == 1 || head.seq == l.last+1 || head.seq <= l.confirmed
}

// solid reports whether all packs of the lane can be published one after another without a further read.
func (l *lane) solid() bool {
	if len(l.packs) == 0 {
		return true
	}
	if l.state != laneFlying && !l.publishable() {
		return false
	}
	for i, p := range l.packs[1:] {
		if p.seq != l.packs[i].last()+1 && p.seq > l.confirmed {
			return false
		}
	}
	return true
}

// insert adds a pack in its place, unless it is there already. A lane above its cap gives up its last pack, which may be the new one; the
// result is the pack that left, nil for none. The first pack keeps its place while it is in flight.
func (l *lane) insert(p *pack) (added bool, evicted *pack) {
	if slices.ContainsFunc(l.packs, func(other *pack) bool { return other.seq == p.seq }) {
		return false, nil
	}
	at := 0
	if l.state == laneFlying {
		at = 1
	}
	for at < len(l.packs) && l.packs[at].seq < p.seq {
		at++
	}
	l.packs = slices.Insert(l.packs, at, p)
	if len(l.packs) > laneCap {
		evicted = l.packs[laneCap]
		l.packs = l.packs[:laneCap]
	}
	return true, evicted
}

// full reports whether later packs of the aggregate are left in the table for now.
func (l *lane) full() bool { return len(l.packs) >= laneCap }

// standsBehind reports whether nothing of the lane was begun and the pack, which is not due, comes before all of it.
func (l *lane) standsBehind(p *pack) bool {
	head := l.packs[0]
	return l.state != laneFlying && head.done == head.stored && p.seq < head.seq
}
