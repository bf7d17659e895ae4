package outbox

import "time"

// liveness judges which relays are alive from the counters that they move. A relay is dead when its counter has not moved for the lease's
// duration on the clock of who judges: wall clocks of different machines are never compared.
type liveness struct {
	duration time.Duration
	seen     map[string]sighting
}

// sighting is the counter of one relay, and since when it has had that value.
type sighting struct {
	counter int64
	since   time.Time
	// moved is true once the counter was seen to change.
	moved bool
}

func newLiveness(duration time.Duration) *liveness {
	return &liveness{duration: duration, seen: make(map[string]sighting)}
}

// observe takes the counters of all relays that have one. Now is after they were read, so that nobody is found dead too early. Relays
// without one are forgotten.
func (l *liveness) observe(counters map[string]int64, now time.Time) {
	for id := range l.seen {
		if _, ok := counters[id]; !ok {
			delete(l.seen, id)
		}
	}
	for id, counter := range counters {
		last, known := l.seen[id]
		if !known || last.counter != counter {
			l.seen[id] = sighting{counter: counter, since: now, moved: known}
		}
	}
}

// alive reports whether the relay may still be publishing. Now is before the counters were read.
func (l *liveness) alive(id string, now time.Time) bool {
	s, known := l.seen[id]
	return known && now.Sub(s.since) < l.duration
}

// moving reports whether the relay is alive and was seen to move its counter.
func (l *liveness) moving(id string, now time.Time) bool {
	return l.alive(id, now) && l.seen[id].moved
}
