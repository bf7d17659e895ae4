package memdynamo

import (
	"slices"
	"time"
)

// pageRequest holds the members that Query and Scan have in common.
type pageRequest struct {
	table, index       string
	filter, projection *string
	refs               placeholders
	limit              *int
	consistent         bool
	start              item // ExclusiveStartKey
	choice             string
	cost               detail

	where condition // the parsed filter, nil for none
	paths projection
}

// Kinds of Select.
const (
	selectAll       = "ALL_ATTRIBUTES"
	selectProjected = "ALL_PROJECTED_ATTRIBUTES"
	selectSpecific  = "SPECIFIC_ATTRIBUTES"
	selectCount     = "COUNT"
)

// member reads one member, and reports whether Query and Scan have it in common.
func (q *pageRequest) member(name string, r *jsonReader) bool {
	switch name {
	case "TableName":
		q.table = r.str()
	case "IndexName":
		q.index = r.str()
	case "FilterExpression":
		q.filter = r.optional()
	case "ProjectionExpression":
		q.projection = r.optional()
	case "Limit":
		n := r.integer()
		q.limit = &n
	case "ConsistentRead":
		q.consistent = r.boolean()
	case "ExclusiveStartKey":
		q.start = r.attributes()
	case "Select":
		q.choice = r.str()
	case "ReturnConsumedCapacity":
		q.cost = detail(r.str())
	default:
		return q.refs.member(name, r)
	}
	return true
}

// parse checks the members that need no table and returns the paths that the filter names. keyed says whether the
// request has a key condition, which is parsed already.
func (q *pageRequest) parse(keyed bool) (filtered []path, err error) {
	if err := q.cost.check(); err != nil {
		return nil, err
	}
	if q.limit != nil && *q.limit < 1 {
		return nil, invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: "+
			"Member must have value greater than or equal to 1", *q.limit)
	}
	if q.filter != nil {
		p := newParser("FilterExpression", *q.filter, &q.refs)
		if q.where, err = p.parseCondition(); err != nil {
			return nil, err
		}
		filtered = p.paths
	}
	if q.projection != nil {
		if q.paths, err = newParser("ProjectionExpression", *q.projection, &q.refs).parseProjection(); err != nil {
			return nil, err
		}
	}
	if err := q.checkSelect(); err != nil {
		return nil, err
	}
	return filtered, q.refs.check(keyed || q.filter != nil || q.projection != nil)
}

func (q *pageRequest) checkSelect() error {
	switch q.choice {
	case "":
		return nil
	case selectSpecific:
		if q.paths == nil {
			return invalid("SPECIFIC_ATTRIBUTES needs a ProjectionExpression")
		}
		return nil
	case selectProjected:
		if q.index == "" {
			return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
		}
	case selectAll, selectCount:
	default:
		return notMember("select", q.choice, "SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES")
	}
	if q.paths != nil {
		return invalid("Cannot specify the ProjectionExpression when choosing to get %s", q.choice)
	}
	return nil
}

// source is the table or index that a page is read from.
type source struct {
	table *table
	index *index // nil for the table
}

// source finds where the request reads, and checks what depends on that.
func (db *DB) source(q *pageRequest) (source, error) {
	t, err := db.table(q.table)
	if err != nil || q.index == "" {
		return source{table: t}, err
	}
	ix, err := t.index(q.index)
	if err != nil {
		return source{}, err
	}
	if q.consistent {
		return source{}, invalid("Consistent reads are not supported on global secondary indexes")
	}
	if q.choice == selectAll && ix.projection != projectAll {
		return source{}, invalidValue("Select type ALL_ATTRIBUTES is not supported for global secondary index %s "+
			"because its projection type is not ALL", ix.name)
	}
	for _, p := range q.paths {
		if names := ix.carried(); names != nil && !slices.Contains(names, p[0].name) {
			return source{}, invalidValue("Global secondary index %s does not project %s", ix.name, p[0].name)
		}
	}
	return source{t, ix}, nil
}

func (s source) key() keySchema {
	if s.index != nil {
		return s.index.key
	}
	return s.table.key
}

func (s source) rows() *rows {
	if s.index != nil {
		return &s.index.rows
	}
	return &s.table.rows
}

// keyNames are the attributes of LastEvaluatedKey and ExclusiveStartKey.
func (s source) keyNames() []string {
	names := s.table.key.names()
	if s.index == nil {
		return names
	}
	for _, name := range s.index.key.names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// startAfter narrows a range to what comes after the start key, in the direction of reading.
func (s source) startAfter(within placeRange, start item, backward bool) (placeRange, error) {
	if start == nil {
		return within, nil
	}
	if len(start) != len(s.keyNames()) || s.table.key.check(start) != nil || s.key().check(start) != nil {
		return within, invalid("The provided starting key is invalid")
	}
	place := s.table.placeOf(start)
	if s.index != nil {
		hash, sort, _ := s.index.key.of(start)
		place = s.index.key.place(hash, sort) + place
	}
	if place < within.from || within.to != "" && place >= within.to {
		return within, invalid("The provided starting key is outside query boundaries based on provided conditions")
	}
	if backward {
		within.to = place
	} else {
		within.from = place + "\x00"
	}
	return within, nil
}

// page is what one Query or Scan reads.
type page struct {
	source  source
	found   []*row // those that pass the filter
	scanned int
	bytes   int
	last    *row // the last row looked at, if the range may go on behind it
}

// readPage reads the range until its end, the limit or the size of a page.
func (db *DB) readPage(q *pageRequest, s source, within placeRange, backward bool) (page, error) {
	pg := page{source: s}
	within, err := s.startAfter(within, q.start, backward)
	if err != nil {
		return pg, err
	}
	var previous *row
	scan(s.rows(), within, backward, func(r *row) bool {
		if pg.scanned > 0 && pg.bytes+r.size > maxPage {
			pg.last = previous
			return false
		}
		pg.scanned++
		pg.bytes += r.size
		previous = r
		if q.where == nil || q.where.holds(r.attrs) {
			pg.found = append(pg.found, r)
		}
		if q.limit != nil && pg.scanned == *q.limit {
			pg.last = r
			return false
		}
		return true
	})
	return pg, nil
}

// scan visits the rows of a range in order until visit returns false.
func scan(in *rows, within placeRange, backward bool, visit func(r *row) bool) {
	switch {
	case !backward:
		in.Ascend(within.from, func(place string, r *row) bool {
			return (within.to == "" || place < within.to) && visit(r)
		})
	case within.to == "":
		in.Reverse(func(place string, r *row) bool { return place >= within.from && visit(r) })
	default:
		in.Descend(within.to, func(place string, r *row) bool {
			return place == within.to || place >= within.from && visit(r)
		})
	}
}

// readPageOf runs a Query or Scan: find chooses the range once the source is known.
func (db *DB) readPageOf(q *pageRequest, backward bool, find func(s source) (placeRange, error)) (pg page, err error) {
	err = db.read(func(time.Time) error {
		s, err := db.source(q)
		if err != nil {
			return err
		}
		within, err := find(s)
		if err != nil {
			return err
		}
		pg, err = db.readPage(q, s, within, backward)
		return err
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

// answer charges a page and writes it. The rows of a page are read together, so their sizes add up before rounding.
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
