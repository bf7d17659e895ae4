package memdynamo

import "time"

// change is what a write does to a table and its indexes. A write that changes nothing has old and next the same.
type change struct {
	table     *table
	place     string
	old, next *row
	indexes   []indexChange
}

func newChange(t *table, place string, old, next *row) change {
	c := change{table: t, place: place, old: old, next: next}
	if old == next {
		return c
	}
	for _, ix := range t.indexes {
		if ixChange, ok := ix.change(old, next); ok {
			c.indexes = append(c.indexes, ixChange)
		}
	}
	return c
}

// apply carries a change out. expired marks the removal of an expired item.
func (db *DB) apply(now time.Time, c change, expired bool) {
	if c.old == c.next {
		return
	}
	c.table.set(c.place, c.old, c.next)
	for _, ix := range c.indexes {
		if db.opts.IndexLag > 0 {
			db.agenda.add(now.Add(db.opts.IndexLag), func(time.Time) { ix.apply() })
		} else {
			ix.apply()
		}
	}
	c.table.stream.record(now, c, expired)
	db.scheduleExpiry(c.table, c.next)
}

// charge adds what the change costs. Only the table's own part is doubled in a transaction: the indexes follow later, on
// their own.
func (c change) charge(b *bill, factor float64) {
	entry := b.of(c.table.name)
	entry.base += factor * writeUnits(c.old.bytes(), c.next.bytes())
	for _, ix := range c.indexes {
		entry.addIndex(ix.index.name, ix.units())
	}
}
