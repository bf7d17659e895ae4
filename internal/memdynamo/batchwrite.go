package memdynamo

import "time"

func batchWriteItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var requests []*writeRequest
	cost := detailNone
	r.object(func(name string) {
		switch name {
		case "RequestItems":
			r.object(func(table string) {
				r.array(func() { requests = append(requests, r.batchedWrite(table)) })
			})
		case "ReturnConsumedCapacity":
			cost = detail(r.str())
		case "ReturnItemCollectionMetrics":
			r.collectionMetrics()
		default:
			r.unknown(name)
		}
	})
	if err := r.finish(); err != nil {
		return err
	}
	if err := cost.check(); err != nil {
		return err
	}
	if len(requests) == 0 || len(requests) > maxBatchWrite {
		return invalid("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: "+
			"Member must have length between 1 and %d", maxBatchWrite)
	}
	costs, err := db.writeBatch(requests)
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
func (r *jsonReader) batchedWrite(table string) *writeRequest {
	var req *writeRequest
	r.object(func(name string) {
		if req != nil {
			r.fail(invalid("Supplied WriteRequest has more than one request, must contain exactly one"))
			return
		}
		req = &writeRequest{kind: putWrite, table: table}
		part := "Item"
		switch name {
		case "PutRequest":
		case "DeleteRequest":
			req.kind, part = deleteWrite, "Key"
		default:
			r.unknown(name)
			return
		}
		r.object(func(name string) {
			if name != part {
				r.unknown(name)
				return
			}
			req.subject = r.attributes()
		})
	})
	if req == nil {
		r.fail(invalid("Supplied WriteRequest is empty, must contain exactly one of PutRequest and DeleteRequest"))
	}
	return req
}

// writeBatch carries the writes out together. The service promises less: there each write stands alone.
func (db *DB) writeBatch(requests []*writeRequest) (costs bill, err error) {
	writes := make([]*write, len(requests))
	for i, req := range requests {
		if writes[i], err = req.parse(); err != nil {
			return nil, err
		}
	}
	err = db.write(func(now time.Time) error {
		targets, err := db.prepareAll(writes)
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
