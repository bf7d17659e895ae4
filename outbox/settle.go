package outbox

import (
	"slices"
	"time"
)

// callSucceeded notes the end of a call whose entries have results.
func (b *backlog) callSucceeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls--
	b.succeeded++
	b.failedInRow, b.failedTogether, b.pausedUntil = 0, 0, time.Time{}
	signal(b.publishSignal)
}

// callFailed notes the end of a call that failed as a whole, and returns how many have in a row. A call of several events, or of one that was
// sent like any other, makes all others wait for a while that grows. One of an event that failed before makes only that wait; it is its own
// fault if other calls came through since it failed last.
func (b *backlog) callFailed(s *shipment, now time.Time, longestBackoff time.Duration) (inRow int, ownFault bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls--
	if s.round == b.round { // those that were in flight together count once
		b.round++
		b.failedInRow++
	}
	for _, l := range s.lanes {
		l.failedCalls++
		ownFault = s.solo && l.seenSucceeded < b.succeeded
		l.seenSucceeded = b.succeeded
	}
	if !s.solo && !now.Before(b.pausedUntil) {
		b.failedTogether++
		b.pausedUntil = now.Add(backoff(b.failedTogether, longestBackoff))
	}
	signal(b.publishSignal)
	return b.failedInRow, ownFault
}

// published goes on to the next event of the lanes. A pack whose last event it was is to be deleted.
func (b *backlog) published(lanes []*lane, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range lanes {
		head := l.packs[0]
		l.last = max(l.last, head.seq+int64(head.done))
		head.done++
		if head.done == len(head.events) {
			l.shard.settled[head.sort] = undeleted
			l.shard.cleaning++
			b.deletions = append(b.deletions, deletion{shard: l.shard, sort: head.sort, since: now, stored: head.stored})
			signal(b.cleanSignal)
		}
		b.land(l, now)
	}
}

// buried goes on to the next event of the lane after one was moved to the dead letters. The table knows of it.
func (b *backlog) buried(l *lane, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	head := l.packs[0]
	l.last = max(l.last, head.seq+int64(head.done))
	head.done++
	head.stored, head.attempts, head.firstFailedAt = head.done, 0, time.Time{}
	if head.done == len(head.events) {
		l.shard.settled[head.sort] = l.shard.queries
	}
	b.land(l, now)
}

// land ends the flight of a lane whose first event is settled.
func (b *backlog) land(l *lane, now time.Time) {
	b.touchdown(l)
	if head := l.packs[0]; head.done == len(head.events) {
		l.packs = slices.Delete(l.packs, 0, 1)
		l.shard.packs--
		l.shard.bytes -= head.bytes
	} else {
		head.attempts, head.firstFailedAt = 0, time.Time{}
	}
	switch {
	case len(l.packs) == 0:
		b.forget(l)
	case !l.shard.active:
		b.giveUp(l)
	default:
		b.settleDoubt(l)
		b.refresh(l, now)
		b.askForRoom(l.shard)
	}
	b.settleQuiet(l.shard)
}

// askForRoom tells the shard's reader when half of the window is free.
func (b *backlog) askForRoom(s *shardState) {
	if s.packs+s.cleaning < windowPacks/2 && s.bytes < windowBytes/2 {
		signal(s.room)
	}
}

// postponed ends the flight of a lane whose first event failed and is to be sent again.
func (b *backlog) postponed(l *lane, failures int, firstFailedAt, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.failures, l.firstFailedAt = failures, firstFailedAt
	b.delay(l, until)
}

// callLost ends the flight of lanes whose call failed as a whole. After a call of several the pause for all calls is longer than their own.
func (b *backlog) callLost(s *shipment, now time.Time, longestBackoff time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range s.lanes {
		wait := backoff(1, firstBackoff)
		if s.solo {
			wait = backoff(l.failedCalls, longestBackoff)
		}
		b.delay(l, now.Add(wait))
	}
}

func (b *backlog) delay(l *lane, until time.Time) {
	b.touchdown(l)
	if l.shard.active {
		l.state, l.since = laneDelayed, until
		b.delayed = append(b.delayed, l)
		signal(b.publishSignal)
	} else {
		b.giveUp(l)
	}
	b.settleQuiet(l.shard)
}

// left ends the flight of a lane that is forgotten: what is to be known of it is in the table.
func (b *backlog) left(l *lane) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.touchdown(l)
	l.shard.settled[l.packs[0].sort] = l.shard.queries
	b.drop(l)
	b.settleQuiet(l.shard)
}

func (b *backlog) touchdown(l *lane) {
	l.state = laneWaiting
	l.shard.flying--
}

// attempt is what is known of the first event of a lane in flight, and of the failed attempts at it.
type attempt struct {
	pack          *pack
	failures      int
	firstFailedAt time.Time
}

// event is the one that was attempted.
func (a attempt) event() Event { return a.pack.events[a.pack.done] }

// attemptOf returns the attempt of a lane in flight. The pack is the caller's until the lane lands.
func (b *backlog) attemptOf(l *lane) attempt {
	b.mu.Lock()
	defer b.mu.Unlock()
	return attempt{pack: l.packs[0], failures: l.failures, firstFailedAt: l.firstFailedAt}
}
