package outbox

import (
	"slices"
	"time"
)

const (
	// publishLinger is how long an event waits at most for others to fill its call while another call is in flight. With none in
	// flight it does not wait.
	publishLinger = 5 * time.Millisecond

	// never is a wait that only a signal ends.
	never = time.Duration(1<<63 - 1)
)

// shipment is one call to the publisher: the next event of some lanes. All lanes are of different aggregates.
type shipment struct {
	lanes   []*lane
	entries []Entry
	// solo is true if it is the only event of the call because it has failed before.
	solo bool
	// round is the backlog's when the call began.
	round int
	// until is when the right to publish them ends.
	until time.Time
}

// take returns the next call to make, or nil and how long to wait before asking again unless a signal comes first.
func (b *backlog) take(now time.Time) (*shipment, time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	nextDelayed := b.wakeDelayed(now)
	b.ready = slices.DeleteFunc(b.ready, func(l *lane) bool { return l.state != laneReady })
	switch {
	case len(b.ready) == 0:
		return nil, nextDelayed
	case !now.Before(b.validUntil), b.calls >= b.callLimit():
		return nil, never
	case now.Before(b.pausedUntil):
		return nil, b.pausedUntil.Sub(now)
	}
	if first := b.ready[0]; b.calls > 0 && len(b.ready) < b.limits.BatchEntries && !first.solo() {
		if waited := now.Sub(first.since); waited < publishLinger {
			return nil, min(publishLinger-waited, nextDelayed)
		}
	}
	return b.load(), 0
}

// callLimit is how many calls may be in flight: after a call that failed as a whole, one, to find out whether the publisher is back.
func (b *backlog) callLimit() int {
	if b.failedTogether > 0 {
		return 1
	}
	return b.limits.Concurrency
}

// wakeDelayed makes lanes ready whose back-off is over, and returns how long it is until the next one's is.
func (b *backlog) wakeDelayed(now time.Time) time.Duration {
	next := never
	b.delayed = slices.DeleteFunc(b.delayed, func(l *lane) bool {
		if l.state != laneDelayed {
			return true
		}
		if wait := l.since.Sub(now); wait > 0 {
			next = min(next, wait)
			return false
		}
		l.state = laneReady
		b.ready = append(b.ready, l)
		return true
	})
	return next
}

// load takes ready lanes for one call, in their order. Lanes that need a call of their own are passed over unless they are first.
func (b *backlog) load() *shipment {
	s, bytes := &shipment{solo: b.ready[0].solo(), round: b.round, until: b.validUntil}, 0
	b.ready = slices.DeleteFunc(b.ready, func(l *lane) bool {
		if len(s.lanes) == b.limits.BatchEntries || len(s.lanes) > 0 && (s.solo || l.solo()) {
			return false
		}
		e := l.event()
		size := len(e.Data) + entryRoom
		if len(s.lanes) > 0 && bytes+size > b.limits.BatchBytes {
			return false
		}
		bytes += size
		l.state = laneFlying
		l.shard.flying++
		s.lanes = append(s.lanes, l)
		s.entries = append(s.entries, newEntry(e))
		return true
	})
	b.calls++
	if len(b.ready) > 0 {
		signal(b.publishSignal)
	}
	return s
}
