package memdynamo

import "time"

func transactGetItems(db *DB, r *jsonReader, w *jsonWriter) error {
	var reads []*get
	cost := costNone
	err := r.request(members{
		"TransactItems": listOf(r, &reads, func() *get {
			g := &get{}
			r.members(members{"Get": func() { r.members(g.members()) }})
			return g
		}),
		"ReturnConsumedCapacity": oneOf{&cost, costKinds},
	})
	if err != nil {
		return err
	}
	if err := checkCount("TransactItems", len(reads), maxActions); err != nil {
		return err
	}
	for _, g := range reads {
		if err := g.parse(); err != nil {
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
			w.name("Item").attributes(reads[i].paths.of(row.attrs))
		}
		w.endObject()
	}
	w.endArray()
	w.consumedBill(cost, costs, "ReadCapacityUnits")
	w.endObject()
	return nil
}

// readTogether reads items as of one moment.
func (db *DB) readTogether(reads []*get) (found []*row, costs bill, err error) {
	err = db.read(func(time.Time) error {
		size := 0
		for _, g := range reads {
			t, err := db.table(g.table)
			if err != nil {
				return err
			}
			_, row, err := t.locate(g.key)
			if err != nil {
				return err
			}
			found = append(found, row)
			size += row.bytes()
			costs.of(t.name).base += transactional * readUnits(row.bytes(), true)
		}
		return checkTransactionSize(size)
	})
	db.meter.read(costs.total())
	return found, costs, err
}
