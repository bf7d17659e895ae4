package memdynamo

// writeKind is what a write does with its item.
type writeKind uint8

const (
	putWrite writeKind = iota
	updateWrite
	deleteWrite
	checkWrite // ConditionCheck: changes nothing
)

// Kinds of ReturnValues, and of ReturnValuesOnConditionCheckFailure.
const (
	returnNone       = "NONE"
	returnAllOld     = "ALL_OLD"
	returnAllNew     = "ALL_NEW"
	returnUpdatedOld = "UPDATED_OLD"
	returnUpdatedNew = "UPDATED_NEW"
)

// write is a write of one item: a request of its own, or an action of a transaction or a batch.
type write struct {
	kind          writeKind
	table         string
	subject       item    // the item of a put, the key of the others
	updateText    *string // UpdateExpression
	conditionText *string // ConditionExpression
	refs          placeholders
	onFailure     string // ALL_OLD: the old item goes into the error of a failed condition

	update    *update   // nil without updateText
	condition condition // nil without conditionText
}

func (w *write) members() members {
	m := members{
		"TableName":                           &w.table,
		"ConditionExpression":                 &w.conditionText,
		"ExpressionAttributeNames":            &w.refs.names,
		"ExpressionAttributeValues":           &w.refs.values,
		"ReturnValuesOnConditionCheckFailure": oneOf{&w.onFailure, []string{returnAllOld, returnNone}},
	}
	if w.kind == putWrite {
		m["Item"] = &w.subject
	} else {
		m["Key"] = &w.subject
	}
	if w.kind == updateWrite {
		m["UpdateExpression"] = &w.updateText
	}
	return m
}

func (w *write) parse() (err error) {
	if w.subject == nil {
		return invalid("The parameter 'Item' or 'Key' is required but was not present in the request")
	}
	if w.updateText != nil {
		if w.update, err = newParser("UpdateExpression", *w.updateText, &w.refs).parseUpdate(); err != nil {
			return err
		}
	}
	if w.conditionText != nil {
		if w.condition, err = newParser("ConditionExpression", *w.conditionText, &w.refs).parseCondition(); err != nil {
			return err
		}
	}
	return w.refs.check(w.updateText != nil || w.conditionText != nil)
}

// target is the place that a write is about.
type target struct {
	table *table
	place string
	old   *row
	next  *row // of a put
}

// prepare finds the target and judges what does not depend on the item stored there. Its errors mean that the request is
// wrong in itself.
func (db *DB) prepare(w *write) (target, error) {
	t, err := db.table(w.table)
	if err != nil {
		return target{}, err
	}
	if w.kind == putWrite {
		next := newRow(w.subject)
		if err := t.checkRow(next); err != nil {
			return target{}, err
		}
		next.place = t.placeOf(next.attrs)
		old, _ := t.rows.Get(next.place)
		return target{t, next.place, old, next}, nil
	}
	place, old, err := t.locate(w.subject)
	if err != nil {
		return target{}, err
	}
	if w.update != nil {
		for _, p := range w.update.paths() {
			if t.key.has(p[0].name) {
				return target{}, invalidValue("Cannot update attribute %s. This attribute is part of the key", p[0].name)
			}
		}
	}
	return target{table: t, place: place, old: old}, nil
}

// evaluate judges the write against the item stored at its target and returns the change to make. The caller holds the
// lock from prepare until the change is applied.
func (w *write) evaluate(at target) (change, error) {
	if w.condition != nil && !w.condition.holds(at.old.item()) {
		var old item
		if w.onFailure == returnAllOld {
			old = at.old.item()
		}
		return change{}, conditionFailed(old)
	}
	next := at.next
	switch w.kind {
	case updateWrite:
		var err error
		if next, err = w.updated(at); err != nil {
			return change{}, err
		}
	case checkWrite:
		next = at.old
	}
	return newChange(at.table, at.place, at.old, next), nil
}

// updated is the row after an update; a row that does not exist starts with its key.
func (w *write) updated(at target) (*row, error) {
	attrs := at.old.item()
	if attrs == nil {
		attrs = w.subject
	}
	if w.update != nil {
		var err error
		if attrs, err = w.update.apply(attrs); err != nil {
			return nil, err
		}
	}
	next := newRow(attrs)
	next.place = at.place
	return next, at.table.checkRow(next)
}

// refusedUnits is what a write costs whose condition failed: the item that it met counts, not the one it would have made
// ("Conditional writes", DynamoDB developer guide).
func (at target) refusedUnits() float64 {
	return writeUnits(at.old.bytes(), 0)
}
