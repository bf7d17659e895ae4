package memdynamo

import "time"

// batchedGets is the part of a BatchGetItem request about one table, and of its answer.
type batchedGets struct {
	table      string
	keys       []item
	consistent bool
	projected

	found       []item
	unprocessed []item
}

func batchGetItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var tables []*batchedGets
	cost := costNone
	err := r.request(members{
		"RequestItems": func() {
			r.object(func(table string) { tables = append(tables, r.batchedGets(table)) })
		},
		"ReturnConsumedCapacity": oneOf{&cost, costKinds},
	})
	if err != nil {
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

func (r *jsonReader) batchedGets(table string) *batchedGets {
	req := &batchedGets{table: table}
	r.members(req.projected.members(), members{"Keys": listOf(r, &req.keys, r.attributes), "ConsistentRead": &req.consistent})
	return req
}

func checkBatch(tables []*batchedGets) error {
	count := 0
	for _, req := range tables {
		if err := checkCount("RequestItems."+req.table+".Keys", len(req.keys), maxBatchGet); err != nil {
			return err
		}
		count += len(req.keys)
		if err := req.parse(); err != nil {
			return err
		}
	}
	return checkCount("RequestItems", count, maxBatchGet)
}

// readBatch reads the items. The keys that do not fit into an answer any more stay unprocessed.
func (db *DB) readBatch(tables []*batchedGets) (costs bill, err error) {
	err = db.read(func(time.Time) error {
		size := 0
		for _, req := range tables {
			t, err := db.table(req.table)
			if err != nil {
				return err
			}
			if err := req.read(t, &size, costs.of(t.name)); err != nil {
				return err
			}
		}
		return nil
	})
	db.meter.read(costs.total())
	return costs, err
}

// read reads the items of one table; size counts the bytes of the whole answer.
func (req *batchedGets) read(t *table, size *int, cost *capacity) error {
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
		if *size+row.bytes() > maxBatchAnswer {
			req.unprocessed = append(req.unprocessed, key)
			continue
		}
		*size += row.bytes()
		cost.base += readUnits(row.bytes(), req.consistent)
		if row != nil {
			req.found = append(req.found, req.paths.of(row.attrs))
		}
	}
	return nil
}

// unprocessed writes what is left of a request, ready to be sent again.
func (w *jsonWriter) unprocessed(req *batchedGets) {
	w.beginObject()
	w.name("Keys").items(req.unprocessed)
	w.name("ConsistentRead").boolean(req.consistent)
	if req.text != nil {
		w.name("ProjectionExpression").str(*req.text)
	}
	if req.refs.names != nil {
		w.name("ExpressionAttributeNames").names(req.refs.names)
	}
	w.endObject()
}
