package memdynamo

import (
	"time"

	"github.com/tidwall/btree"
)

// agenda holds what is to happen at a later time: changes of lagging indexes, expiry of items and of request tokens. It
// has no goroutine: the next request to the engine settles what is due.
type agenda struct {
	entries *btree.BTreeG[agendaEntry]
	added   int
}

type agendaEntry struct {
	at    time.Time
	order int // entries of one time run in the order in which they were added
	run   func(now time.Time)
}

func newAgenda() *agenda {
	earlier := func(a, b agendaEntry) bool {
		if a.at.Equal(b.at) {
			return a.order < b.order
		}
		return a.at.Before(b.at)
	}
	return &agenda{entries: btree.NewBTreeGOptions(earlier, btree.Options{NoLocks: true})}
}

func (a *agenda) add(at time.Time, run func(now time.Time)) {
	a.added++
	a.entries.Set(agendaEntry{at, a.added, run})
}

// due reports whether an entry's time has come.
func (a *agenda) due(now time.Time) bool {
	next, ok := a.entries.Min()
	return ok && !next.at.After(now)
}

// settle runs and forgets the entries whose time has come; the caller holds the write lock.
func (a *agenda) settle(now time.Time) {
	for a.due(now) {
		next, _ := a.entries.PopMin()
		next.run(now)
	}
}
