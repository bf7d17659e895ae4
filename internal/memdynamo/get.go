package memdynamo

import "time"

// readRequest is a read of one item: GetItem, or an action of TransactGetItems.
type readRequest struct {
	table      string
	key        item
	projection *string
	refs       placeholders
}

// member reads one member, and reports whether a read has it.
func (q *readRequest) member(name string, r *jsonReader) bool {
	switch name {
	case "TableName":
		q.table = r.str()
	case "Key":
		q.key = r.attributes()
	case "ProjectionExpression":
		q.projection = r.optional()
	case "ExpressionAttributeNames":
		q.refs.names = r.stringMap()
	default:
		return false
	}
	return true
}

// parse returns the projection of the request, nil if it has none.
func (q *readRequest) parse() (projection, error) {
	return parseProjection(q.projection, &q.refs)
}

// parseProjection parses the projection where it is the only expression of a request.
func parseProjection(text *string, refs *placeholders) (projection, error) {
	var paths projection
	if text != nil {
		var err error
		if paths, err = newParser("ProjectionExpression", *text, refs).parseProjection(); err != nil {
			return nil, err
		}
	}
	return paths, refs.check(text != nil)
}

func getItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var req readRequest
	consistent, cost := false, detailNone
	r.object(func(name string) {
		switch name {
		case "ConsistentRead":
			consistent = r.boolean()
		case "ReturnConsumedCapacity":
			cost = detail(r.str())
		default:
			if !req.member(name, r) {
				r.unknown(name)
			}
		}
	})
	if err := r.finish(); err != nil {
		return err
	}
	if err := cost.check(); err != nil {
		return err
	}
	paths, err := req.parse()
	if err != nil {
		return err
	}
	var found *row
	err = db.read(func(time.Time) error {
		t, err := db.table(req.table)
		if err != nil {
			return err
		}
		_, found, err = t.locate(req.key)
		return err
	})
	if err != nil {
		return err
	}
	units := readUnits(found.bytes(), consistent)
	db.meter.read(units)
	w.beginObject()
	if found != nil {
		w.name("Item").attributes(paths.of(found.attrs))
	}
	w.consumed(cost, &capacity{table: req.table, base: units})
	w.endObject()
	return nil
}
