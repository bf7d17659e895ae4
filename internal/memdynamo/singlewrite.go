package memdynamo

import (
	"slices"
	"strings"
	"time"
)

// Kinds of ReturnValues.
const (
	returnNone       = "NONE"
	returnAllOld     = "ALL_OLD"
	returnAllNew     = "ALL_NEW"
	returnUpdatedOld = "UPDATED_OLD"
	returnUpdatedNew = "UPDATED_NEW"
)

func putItem(db *DB, r *jsonReader, w *jsonWriter) error {
	return db.singleWrite(r, w, putWrite, returnNone, returnAllOld)
}

func deleteItem(db *DB, r *jsonReader, w *jsonWriter) error {
	return db.singleWrite(r, w, deleteWrite, returnNone, returnAllOld)
}

func updateItem(db *DB, r *jsonReader, w *jsonWriter) error {
	return db.singleWrite(r, w, updateWrite, returnNone, returnAllOld, returnAllNew, returnUpdatedOld, returnUpdatedNew)
}

// singleWrite answers PutItem, UpdateItem and DeleteItem; returnable are the kinds of ReturnValues that the operation has.
func (db *DB) singleWrite(r *jsonReader, w *jsonWriter, kind writeKind, returnable ...string) error {
	req := writeRequest{kind: kind}
	returns, cost := returnNone, detailNone
	r.object(func(name string) {
		switch name {
		case "ReturnValues":
			returns = r.str()
		case "ReturnConsumedCapacity":
			cost = detail(r.str())
		case "ReturnItemCollectionMetrics":
			r.collectionMetrics()
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
	if !slices.Contains(returnable, returns) {
		return notMember("returnValues", returns, strings.Join(returnable, ", "))
	}
	parsed, err := req.parse()
	if err != nil {
		return err
	}
	c, err := db.writeOne(parsed)
	if err != nil {
		return err
	}
	var costs bill
	c.charge(&costs, 1)
	db.meter.write(costs.total())
	w.beginObject()
	if attrs := returned(returns, parsed, c); len(attrs) > 0 {
		w.name("Attributes").attributes(attrs)
	}
	w.consumed(cost, costs[0])
	w.endObject()
	return nil
}

// collectionMetrics reads ReturnItemCollectionMetrics. The answer never has any, as in the service for a table without
// local secondary indexes.
func (r *jsonReader) collectionMetrics() {
	if s := r.str(); r.err == nil && s != "NONE" && s != "SIZE" {
		r.fail(notMember("returnItemCollectionMetrics", s, "SIZE, NONE"))
	}
}

func (db *DB) writeOne(w *write) (c change, err error) {
	err = db.write(func(now time.Time) error {
		at, err := db.prepare(w)
		if err != nil {
			return err
		}
		if c, err = w.evaluate(at); err != nil {
			db.meter.write(at.refusedUnits())
			return err
		}
		db.apply(now, c, false)
		return nil
	})
	return c, err
}

// returned is what ReturnValues asks for.
func returned(kind string, w *write, c change) item {
	old, next := c.old.item(), c.next.item()
	switch kind {
	case returnAllOld:
		return old
	case returnAllNew:
		return next
	case returnNone:
		return nil
	}
	if w.update == nil {
		return nil
	}
	if kind == returnUpdatedOld {
		return pick(old, w.update.paths())
	}
	return pick(next, w.update.paths())
}
