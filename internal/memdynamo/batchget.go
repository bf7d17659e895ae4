package memdynamo

import "time"

// keysRequest is the part of a BatchGetItem request about one table.
type keysRequest struct {
	table      string
	keys       []item
	consistent bool
	projection *string
	refs       placeholders

	paths       projection
	found       []item
	unprocessed []item
}

func batchGetItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var tables []*keysRequest
	cost := detailNone
	r.object(func(name string) {
		switch name {
		case "RequestItems":
			r.object(func(table string) { tables = append(tables, r.keysRequest(table)) })
		case "ReturnConsumedCapacity":
			cost = detail(r.str())
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
	if err := checkBatch(tables); err != nil {
		return err
	}
	costs, err := db.readBatch(tables)
	if err != nil {
		return err
	}
	w.beginObject()
	w.name("Responses").beginObject()
	for _, req := range tables {
		w.name(req.table).items(req.found)
	}
	w.endObject()
	w.name("UnprocessedKeys").beginObject()
	for _, req := range tables {
		if len(req.unprocessed) > 0 {
			w.name(req.table).unprocessed(req)
		}
	}
	w.endObject()
	w.consumedBill(cost, costs, "")
	w.endObject()
	return nil
}

func (r *jsonReader) keysRequest(table string) *keysRequest {
	req := &keysRequest{table: table}
	r.object(func(name string) {
		switch name {
		case "Keys":
			r.array(func() { req.keys = append(req.keys, r.attributes()) })
		case "ConsistentRead":
			req.consistent = r.boolean()
		case "ProjectionExpression":
			req.projection = r.optional()
		case "ExpressionAttributeNames":
			req.refs.names = r.stringMap()
		default:
			r.unknown(name)
		}
	})
	return req
}

func checkBatch(tables []*keysRequest) error {
	count := 0
	for _, req := range tables {
		if len(req.keys) == 0 {
			return invalid("1 validation error detected: Value at 'requestItems.%s.keys' failed to satisfy constraint: "+
				"Member must have length greater than or equal to 1", req.table)
		}
		count += len(req.keys)
		var err error
		if req.paths, err = parseProjection(req.projection, &req.refs); err != nil {
			return err
		}
	}
	if count == 0 || count > maxBatchGet {
		return invalid("Too many items requested for the BatchGetItem call: between 1 and %d are allowed", maxBatchGet)
	}
	return nil
}

// readBatch reads the items. The keys that do not fit into an answer any more stay unprocessed.
func (db *DB) readBatch(tables []*keysRequest) (costs bill, err error) {
	err = db.read(func(time.Time) error {
		size := 0
		for _, req := range tables {
			t, err := db.table(req.table)
			if err != nil {
				return err
			}
			seen := map[string]bool{}
			for _, key := range req.keys {
				place, row, err := t.locate(key)
				if err != nil {
					return err
				}
				if seen[place] {
					return invalid("Provided list of item keys contains duplicates")
				}
				seen[place] = true
				if size+row.bytes() > maxBatchAnswer {
					req.unprocessed = append(req.unprocessed, key)
					continue
				}
				size += row.bytes()
				costs.of(t.name).base += readUnits(row.bytes(), req.consistent)
				if row != nil {
					req.found = append(req.found, req.paths.of(row.attrs))
				}
			}
		}
		return nil
	})
	db.meter.read(costs.total())
	return costs, err
}

// unprocessed writes what is left of a request, ready to be sent again.
func (w *jsonWriter) unprocessed(req *keysRequest) {
	w.beginObject()
	w.name("Keys").items(req.unprocessed)
	w.name("ConsistentRead").boolean(req.consistent)
	if req.projection != nil {
		w.name("ProjectionExpression").str(*req.projection)
	}
	if req.refs.names != nil {
		w.name("ExpressionAttributeNames").names(req.refs.names)
	}
	w.endObject()
}
