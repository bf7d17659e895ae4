package memdynamo

import "time"

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
	req := write{kind: kind}
	returns, cost, metrics := returnNone, costNone, ""
	err := r.request(req.members(), members{
		"ReturnValues":                oneOf{&returns, returnable},
		"ReturnConsumedCapacity":      oneOf{&cost, costKinds},
		"ReturnItemCollectionMetrics": oneOf{&metrics, metricsKinds},
	})
	if err != nil {
		return err
	}
	if err := req.parse(); err != nil {
		return err
	}
	c, err := db.writeOne(&req)
	if err != nil {
		return err
	}
	var costs bill
	c.charge(&costs, 1)
	db.meter.write(costs.total())
	w.beginObject()
	if attrs := req.returned(returns, c); len(attrs) > 0 {
		w.name("Attributes").attributes(attrs)
	}
	w.consumed(cost, costs[0])
	w.endObject()
	return nil
}

func (db *DB) writeOne(w *write) (c change, err error) {
	err = db.write(func(now time.Time) error {
		at, err := db.prepare(w)
		if err != nil {
			return err
		}
		c, err = w.evaluate(at)
		switch {
		case err == nil:
			db.apply(now, c, false)
		case is(err, codeConditionFailed):
			db.meter.write(at.refusedUnits())
		}
		return err
	})
	return c, err
}

// returned is what ReturnValues asks for.
func (w *write) returned(kind string, c change) item {
	switch {
	case kind == returnAllOld:
		return c.old.item()
	case kind == returnAllNew:
		return c.next.item()
	case kind == returnNone || w.update == nil:
		return nil
	case kind == returnUpdatedOld:
		return pick(c.old.item(), w.update.paths())
	}
	return pick(c.next.item(), w.update.paths())
}
