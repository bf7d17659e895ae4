package outbox

import (
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// windowPacks and windowBytes bound what is held in memory of one shard: at most one page more.
	windowPacks = 512
	windowBytes = 2 << 20

	// recentAggregates is for how many aggregates of a shard the last number published is remembered. One that is forgotten costs a read.
	recentAggregates = 1024
)

// backlog is what a relay holds in memory: the packs that it has read, in lanes, and those published that are to be deleted. It decides
// what is sent next and does no I/O. Its methods may be called concurrently; times are passed in.
type backlog struct {
	// limits bound the calls to the publisher.
	limits Publishing
	// shardCount is the number of shards that every pack must be stamped with.
	shardCount int

	mu     sync.Mutex
	shards map[int]*shardState
	// ready are the lanes that can publish, longest waiting first; delayed those that back off, in no order.
	ready, delayed []*lane
	// calls is how many calls to the publisher are in flight.
	calls int
	// succeeded counts the calls that came through, failedInRow those that failed as a whole since, and failedTogether those of them that
	// made all others wait. Until pausedUntil nothing is sent.
	succeeded                   int
	failedInRow, failedTogether int
	pausedUntil                 time.Time
	// round is the number of failures in a row that were ever counted: of calls that began in one round only the first counts.
	round int
	// validUntil is when the right to publish ends unless it is extended.
	validUntil time.Time
	// deletions are the published packs, oldest first; saves are those that are published in part and that this relay gives up.
	deletions []deletion
	saves     []*pack
	// cleanCalls is how many requests for deletions and saves are in flight.
	cleanCalls int
	// flush is set when deletions are not to wait for company any more.
	flush bool

	// publishSignal and cleanSignal wake whoever asks for work; they hold one signal each.
	publishSignal, cleanSignal chan struct{}
}

// shardState is the part of a backlog that belongs to one shard.
type shardState struct {
	number int
	// active is set while the shard's lease is held. An inactive shard starts nothing new.
	active bool
	lanes  map[string]*lane
	recent *simplelru.LRU[string, int64]
	// settled are the packs, by sort key, that a read may still show as they are no longer: undeleted if published, and else the number
	// of the last query that was begun before the deletion, or the change of the pack, was known.
	settled map[string]int64
	// queries numbers the reads of the shard.
	queries int64
	// doubtful are the lanes that need a second read.
	doubtful map[*lane]struct{}
	// packs and bytes are what the lanes hold; cleaning counts the deletions and saves that are not done.
	packs, bytes, cleaning int
	// flying is the number of lanes in flight.
	flying int
	// room has a signal when there may be room again for a reader that found none.
	room chan struct{}
	// quiet, if not nil, is closed once nothing of the inactive shard is in flight; idle once nothing of it is in memory.
	quiet, idle chan struct{}
}

// undeleted marks a settled pack whose deletion is not known.
const undeleted = math.MaxInt64

func newBacklog(limits Publishing, shards int) *backlog {
	return &backlog{
		limits:        limits,
		shardCount:    shards,
		shards:        make(map[int]*shardState),
		publishSignal: make(chan struct{}, 1),
		cleanSignal:   make(chan struct{}, 1),
	}
}

// activate begins with a shard of which nothing is in memory.
func (b *backlog) activate(shard int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	recent, _ := simplelru.NewLRU[string, int64](recentAggregates, nil) // it refuses only a size below 1
	b.shards[shard] = &shardState{
		number:  shard,
		active:  true,
		lanes:   make(map[string]*lane),
		recent:  recent,
		settled: make(map[string]int64),
		room:    make(chan struct{}, 1),

		doubtful: make(map[*lane]struct{}),
	}
}

// deactivate stops a shard: what is not in flight is forgotten. The channel is closed when nothing is in flight any more and all that was
// published is deleted.
func (b *backlog) deactivate(shard int) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	if s == nil {
		quiet := make(chan struct{})
		close(quiet)
		return quiet
	}
	s.active = false
	if s.quiet == nil {
		s.quiet = make(chan struct{})
	}
	quiet := s.quiet
	for _, l := range s.lanes {
		if l.state != laneFlying {
			b.giveUp(l)
		}
	}
	b.settleQuiet(s)
	signal(b.cleanSignal)
	return quiet
}

// settleQuiet tells those who wait for the shard to come to rest. An inactive shard that has is forgotten.
func (b *backlog) settleQuiet(s *shardState) {
	if s.cleaning > 0 || s.flying > 0 {
		return
	}
	if s.idle != nil && len(s.lanes) == 0 {
		close(s.idle)
		s.idle = nil
	}
	if !s.active && s.quiet != nil {
		close(s.quiet)
		s.quiet = nil
		delete(b.shards, s.number)
	}
}

// whenIdle returns a channel that is closed once the shard has nothing in lanes, in flight or to delete.
func (b *backlog) whenIdle(shard int) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	idle := make(chan struct{})
	s := b.shards[shard]
	switch {
	case s == nil || len(s.lanes) == 0 && s.cleaning == 0:
		close(idle)
	case s.idle != nil:
		return s.idle
	default:
		s.idle = idle
	}
	return idle
}

// held reports whether anything of the shard is in memory.
func (b *backlog) held(shard int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shards[shard] != nil
}

// idle reports whether the shard has nothing in lanes, in flight or to delete.
func (b *backlog) idle(shard int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	return s == nil || len(s.lanes) == 0 && s.cleaning == 0
}

// extend moves the time until which events may be published.
func (b *backlog) extend(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.validUntil = until
	signal(b.publishSignal)
}

// roomFor returns nil if the shard has room for a page, and else a channel that has a signal when it is worth asking again.
func (b *backlog) roomFor(shard int) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shards[shard]
	if s == nil || s.packs+s.cleaning < windowPacks && s.bytes < windowBytes {
		return nil
	}
	return s.room
}

// giveUp drops a lane because another relay takes over, and has the progress of its first pack stored.
func (b *backlog) giveUp(l *lane) {
	if len(l.packs) > 0 && l.packs[0].done > l.packs[0].stored {
		b.saves = append(b.saves, l.packs[0])
		l.shard.cleaning++
		signal(b.cleanSignal)
	}
	b.drop(l)
}

// drop forgets a lane that is not in flight; its packs stay in the table.
func (b *backlog) drop(l *lane) {
	for _, p := range l.packs {
		l.shard.packs--
		l.shard.bytes -= p.bytes
	}
	b.forget(l)
}

// forget takes a lane without packs out of the backlog, and remembers its last number.
func (b *backlog) forget(l *lane) {
	l.state, l.packs = laneGone, nil
	if l.last > 0 {
		l.shard.recent.Add(l.aggregateID, l.last)
	}
	delete(l.shard.lanes, l.aggregateID)
	delete(l.shard.doubtful, l)
	b.askForRoom(l.shard)
}

// signal leaves a signal in a channel that holds one, if there is none yet.
func signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}
