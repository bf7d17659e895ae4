package memdynamo

import "time"

func batchWriteItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var writes []*write
	cost, metrics := costNone, ""
	err := r.request(members{
		"RequestItems": func() {
			r.object(func(table string) {
				r.array(func() { writes = append(writes, r.batchedWrite(table)) })
			})
		},
		"ReturnConsumedCapacity":      oneOf{&cost, costKinds},
		"ReturnItemCollectionMetrics": oneOf{&metrics, metricsKinds},
	})
	if err != nil {
		return err
	}
	if err := checkCount("RequestItems", len(writes), maxBatchWrite); err != nil {
		return err
	}
	costs, err := db.writeBatch(writes)
	if err != nil {
		return err
	}
	w.beginObject()
	// Nothing is ever left over: the engine does not throttle.
	w.name("UnprocessedItems").beginObject()
	w.endObject()
	w.consumedBill(cost, costs, "")
	w.endObject()
	return nil
}

// batchedWrite reads one write: an object with the member PutRequest or DeleteRequest.
func (r *jsonReader) batchedWrite(table string) *write {
	var req *write
	as := func(kind writeKind, subject string) func() {
		return func() {
			if req != nil {
				r.fail(invalid("Supplied WriteRequest has more than one request, must contain exactly one"))
				return
			}
			req = &write{kind: kind, table: table}
			r.members(members{subject: &req.subject})
		}
	}
	r.members(members{"PutRequest": as(putWrite, "Item"), "DeleteRequest": as(deleteWrite, "Key")})
	if req == nil {
		r.fail(invalid("Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest"))
	}
	return req
}

// writeBatch carries the writes out together. The service promises less: there each write stands alone.
func (db *DB) writeBatch(writes []*write) (costs bill, err error) {
	for _, w := range writes {
		if err := w.parse(); err != nil {
			return nil, err
		}
	}
	err = db.write(func(now time.Time) error {
		targets, err := db.prepareAll(writes, "Provided list of item keys contains duplicates")
		if err != nil {
			return err
		}
		for i, w := range writes {
			c, err := w.evaluate(targets[i])
			if err != nil {
				return err
			}
			db.apply(now, c, false)
			c.charge(&costs, 1)
		}
		return nil
	})
	db.meter.write(costs.total())
	return costs, err
}
