package memdynamo

import "time"

// target is the place that a write is about.
type target struct {
	table *table
	place string
	old   *row
	next  *row // of a put
}

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

// prepare finds the target and judges what does not depend on the item stored there. Its errors mean that the request is
// wrong in itself.
func (db *DB) prepare(w *write) (target, error) {
	t, err := db.table(w.table)
	if err != nil {
		return target{}, err
	}
	if w.kind == putWrite {
		next := &row{attrs: w.subject, size: w.subject.size()}
		if err := t.checkItem(next.attrs, next.size); err != nil {
			return target{}, err
		}
		next.place = t.placeOf(next.attrs)
		old, _ := t.rows.Get(next.place)
		return target{t, next.place, old, next}, nil
	}
	place, old, err := t.locate(w.subject)
	if err != nil {
		return target{}, err
	}
	if w.update != nil {
		for _, p := range w.update.paths() {
			if t.key.has(p[0].name) {
				return target{}, invalidValue("Cannot update attribute %s. This attribute is part of the key", p[0].name)
			}
		}
	}
	return target{table: t, place: place, old: old}, nil
}

// evaluate judges the write against the item stored at its target and returns the change to make. The caller holds the
// lock from prepare until the change is applied.
func (w *write) evaluate(at target) (change, error) {
	if w.condition != nil && !w.condition.holds(at.old.item()) {
		var old item
		if w.wantOld {
			old = at.old.item()
		}
		return change{}, conditionFailed(old)
	}
	next := at.next
	switch w.kind {
	case updateWrite:
		var err error
		if next, err = w.updated(at); err != nil {
			return change{}, err
		}
	case checkWrite:
		next = at.old
	}
	return newChange(at.table, at.place, at.old, next), nil
}

// updated is the row after an update; a row that does not exist starts with its key.
func (w *write) updated(at target) (*row, error) {
	attrs := at.old.item()
	if attrs == nil {
		attrs = w.subject
	}
	if w.update != nil {
		var err error
		if attrs, err = w.update.apply(attrs); err != nil {
			return nil, err
		}
	}
	next := &row{attrs: attrs, size: attrs.size(), place: at.place}
	return next, at.table.checkItem(attrs, next.size)
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

// refusedUnits is what a write costs that was refused.
func (at target) refusedUnits() float64 {
	return writeUnits(at.old.bytes(), at.next.bytes())
}
