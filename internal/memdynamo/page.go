package memdynamo

import "time"

// page is what one Query or Scan reads.
type page struct {
	source  source
	found   []*row // those that pass the filter
	scanned int
	bytes   int
	last    *row // the last row looked at, if the range may go on behind it
}

// read reads the range until its end, the limit or the size of a page.
func (s source) read(q *pageRequest, within placeRange, backward bool) page {
	pg := page{source: s}
	var previous *row
	more := scan(s.rows(), within, backward, func(r *row) bool {
		if pg.scanned > 0 && pg.bytes+r.size > maxPage {
			return false
		}
		pg.scanned++
		pg.bytes += r.size
		previous = r
		if q.filter == nil || q.filter.holds(r.attrs) {
			pg.found = append(pg.found, r)
		}
		return q.limit == nil || pg.scanned < *q.limit
	})
	if more {
		pg.last = previous
	}
	return pg
}

// scan visits the rows of a range in order until visit returns false, and reports whether it did.
func scan(in *rows, within placeRange, backward bool, visit func(r *row) bool) (stopped bool) {
	step := func(place string, r *row) bool {
		switch {
		case within.to != "" && place >= within.to:
			return backward // the tree starts at the end of the range, which is not part of it
		case place < within.from:
			return false
		}
		stopped = !visit(r)
		return !stopped
	}
	switch {
	case !backward:
		in.Ascend(within.from, step)
	case within.to == "":
		in.Reverse(step)
	default:
		in.Descend(within.to, step)
	}
	return stopped
}

// readPage runs a Query or Scan: find chooses the range once the source is known.
func (db *DB) readPage(q *pageRequest, backward bool, find func(s source) (placeRange, error)) (pg page, err error) {
	err = db.read(func(time.Time) error {
		s, err := db.source(q)
		if err != nil {
			return err
		}
		within, err := find(s)
		if err != nil {
			return err
		}
		within, err = s.startAfter(within, q.start, backward)
		if err != nil {
			return err
		}
		pg = s.read(q, within, backward)
		return nil
	})
	return pg, err
}

// page writes the answer of a Query or Scan.
func (w *jsonWriter) page(q *pageRequest, pg page, cost *capacity) {
	w.beginObject()
	if q.choice != selectCount {
		w.name("Items").beginArray()
		for _, r := range pg.found {
			w.attributes(q.paths.of(r.attrs))
		}
		w.endArray()
	}
	w.name("Count").integer(len(pg.found))
	w.name("ScannedCount").integer(pg.scanned)
	if pg.last != nil {
		w.name("LastEvaluatedKey").attributes(pg.last.attrs.only(pg.source.keyNames()...))
	}
	w.consumed(q.cost, cost)
	w.endObject()
}

// answerPage charges a page and writes it. The rows of a page are read together, so their sizes add up before rounding.
func (db *DB) answerPage(q *pageRequest, pg page, w *jsonWriter) {
	units := readUnits(pg.bytes, q.consistent)
	db.meter.read(units)
	cost := &capacity{table: q.table}
	if pg.source.index != nil {
		cost.addIndex(q.index, units)
	} else {
		cost.base = units
	}
	w.page(q, pg, cost)
}
