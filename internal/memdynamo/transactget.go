package memdynamo

import "time"

func transactGetItems(db *DB, r *jsonReader, w *jsonWriter) error {
	var reads []*readRequest
	cost := detailNone
	r.object(func(name string) {
		switch name {
		case "TransactItems":
			r.array(func() { reads = append(reads, r.transactRead()) })
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
	if len(reads) == 0 || len(reads) > maxActions {
		return invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "+
			"Member must have length between 1 and %d", maxActions)
	}
	paths := make([]projection, len(reads))
	for i, read := range reads {
		var err error
		if paths[i], err = read.parse(); err != nil {
			return err
		}
	}
	found, costs, err := db.readTogether(reads)
	if err != nil {
		return err
	}
	w.beginObject()
	w.name("Responses").beginArray()
	for i, row := range found {
		w.beginObject()
		if row != nil {
			w.name("Item").attributes(paths[i].of(row.attrs))
		}
		w.endObject()
	}
	w.endArray()
	w.consumedBill(cost, costs, "ReadCapacityUnits")
	w.endObject()
	return nil
}

// transactRead reads one element of TransactItems: an object with the member Get.
func (r *jsonReader) transactRead() *readRequest {
	read := &readRequest{}
	r.object(func(name string) {
		if name != "Get" {
			r.unknown(name)
			return
		}
		r.object(func(name string) {
			if !read.member(name, r) {
				r.unknown(name)
			}
		})
	})
	return read
}

// readTogether reads items as of one moment.
func (db *DB) readTogether(reads []*readRequest) (found []*row, costs bill, err error) {
	err = db.read(func(time.Time) error {
		size := 0
		for _, read := range reads {
			t, err := db.table(read.table)
			if err != nil {
				return err
			}
			_, row, err := t.locate(read.key)
			if err != nil {
				return err
			}
			found = append(found, row)
			size += row.bytes()
			costs.of(t.name).base += transactional * readUnits(row.bytes(), true)
		}
		if size > maxTransaction {
			return invalid("Transaction size limit exceeded: the items of a transaction may have at most %d bytes", maxTransaction)
		}
		return nil
	})
	db.meter.read(costs.total())
	return found, costs, err
}
