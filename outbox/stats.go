package outbox

import (
	"maps"
	"sync"
	"time"
)

// Stats counts what a relay or stream handler has done since it was made. All numbers only grow, but for LastSweep.
type Stats struct {
	// Published is the number of events that the publisher took.
	Published int64
	// Calls is the number of calls to the publisher, FailedCalls that of those that failed as a whole.
	Calls, FailedCalls int64
	// Failures counts failed attempts at events by the publisher's code.
	Failures map[string]int64
	// Suspected is the number of events in failed calls: each may have been published, and is sent again.
	Suspected int64
	// DeadLettered and Held count the events that the policy moved to the dead letters, and those that made their aggregate wait.
	DeadLettered, Held int64
	// Deleted is the number of packs deleted after publication.
	Deleted int64
	// Malformed is the number of times that an item was met under the outbox's prefix that is no pack.
	Malformed int64
	// LastSweep is the time at which the shard that waits longest was last read to its end, over the shards that the relay
	// holds now; zero if one never was, or if it holds none.
	LastSweep time.Time
}

// statistics collects Stats.
type statistics struct {
	mu     sync.Mutex
	stats  Stats
	sweeps map[int]time.Time
}

func newStatistics() *statistics {
	return &statistics{stats: Stats{Failures: make(map[string]int64)}, sweeps: make(map[int]time.Time)}
}

func (s *statistics) snapshot() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Failures = maps.Clone(stats.Failures)
	first := true
	for _, at := range s.sweeps {
		if first || at.Before(stats.LastSweep) {
			stats.LastSweep, first = at, false
		}
	}
	return stats
}

func (s *statistics) change(f func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

func (s *statistics) called(entries int, failed bool) {
	s.change(func(s *Stats) {
		s.Calls++
		if failed {
			s.FailedCalls++
			s.Suspected += int64(entries)
		}
	})
}

func (s *statistics) published(n int) { s.change(func(s *Stats) { s.Published += int64(n) }) }
func (s *statistics) deleted(n int)   { s.change(func(s *Stats) { s.Deleted += int64(n) }) }

func (s *statistics) failed(code string, n int) {
	s.change(func(s *Stats) { s.Failures[code] += int64(n) })
}
func (s *statistics) held()      { s.change(func(s *Stats) { s.Held++ }) }
func (s *statistics) buried()    { s.change(func(s *Stats) { s.DeadLettered++ }) }
func (s *statistics) malformed() { s.change(func(s *Stats) { s.Malformed++ }) }

// swept notes the end of a sweep over the shard; the zero time notes that it is held and was not swept yet.
func (s *statistics) swept(shard int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweeps[shard] = at
}

// released notes that the shard is not held any more.
func (s *statistics) released(shard int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sweeps, shard)
}
