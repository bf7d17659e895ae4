package memdynamo

import "time"

// get is a read of one item: GetItem, or an action of TransactGetItems.
type get struct {
	table string
	key   item
	projected
}

// projected is the projection of a read that has no other expression.
type projected struct {
	text  *string // ProjectionExpression
	refs  placeholders
	paths projection // nil without text
}

func (g *get) members() members {
	m := g.projected.members()
	m["TableName"], m["Key"] = &g.table, &g.key
	return m
}

func (p *projected) members() members {
	return members{"ProjectionExpression": &p.text, "ExpressionAttributeNames": &p.refs.names}
}

func (p *projected) parse() (err error) {
	if p.text != nil {
		if p.paths, err = newParser("ProjectionExpression", *p.text, &p.refs).parseProjection(); err != nil {
			return err
		}
	}
	return p.refs.check(p.text != nil)
}

func getItem(db *DB, r *jsonReader, w *jsonWriter) error {
	var req get
	consistent, cost := false, costNone
	err := r.request(req.members(), members{"ConsistentRead": &consistent, "ReturnConsumedCapacity": oneOf{&cost, costKinds}})
	if err != nil {
		return err
	}
	if err := req.parse(); err != nil {
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
		w.name("Item").attributes(req.paths.of(found.attrs))
	}
	w.consumed(cost, &capacity{table: req.table, base: units})
	w.endObject()
	return nil
}
