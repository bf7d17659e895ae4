package memdynamo

// writeKind is what a write does with its item.
type writeKind uint8

const (
	putWrite writeKind = iota
	updateWrite
	deleteWrite
	checkWrite // ConditionCheck: changes nothing
)

// writeRequest holds the members that a single write and an action of a transaction have in common.
type writeRequest struct {
	kind      writeKind
	table     string
	subject   item    // the item of a put, the key of the others
	update    *string // UpdateExpression
	condition *string // ConditionExpression
	refs      placeholders
	onFailure string // ReturnValuesOnConditionCheckFailure
}

// write is a parsed write.
type write struct {
	kind      writeKind
	table     string
	subject   item
	update    *update   // nil where there is none
	condition condition // nil where there is none
	wantOld   bool      // the old item goes into the error if the condition fails
}

// member reads one member, and reports whether this kind of write has it.
func (q *writeRequest) member(name string, r *jsonReader) bool {
	switch {
	case name == "TableName":
		q.table = r.str()
	case name == "Item" && q.kind == putWrite, name == "Key" && q.kind != putWrite:
		q.subject = r.attributes()
	case name == "UpdateExpression" && q.kind == updateWrite:
		q.update = r.optional()
	case name == "ConditionExpression":
		q.condition = r.optional()
	case name == "ReturnValuesOnConditionCheckFailure":
		q.onFailure = r.str()
	default:
		return q.refs.member(name, r)
	}
	return true
}

// optional reads a string whose absence and emptiness differ.
func (r *jsonReader) optional() *string {
	s := r.str()
	return &s
}

func (q *writeRequest) parse() (*write, error) {
	w := &write{kind: q.kind, table: q.table, subject: q.subject}
	if q.subject == nil {
		return nil, invalid("The Key or Item of the request is missing")
	}
	switch q.onFailure {
	case "", "NONE":
	case "ALL_OLD":
		w.wantOld = true
	default:
		return nil, notMember("returnValuesOnConditionCheckFailure", q.onFailure, "ALL_OLD, NONE")
	}
	var err error
	if q.update != nil {
		if w.update, err = newParser("UpdateExpression", *q.update, &q.refs).parseUpdate(); err != nil {
			return nil, err
		}
	}
	if q.condition != nil {
		if w.condition, err = newParser("ConditionExpression", *q.condition, &q.refs).parseCondition(); err != nil {
			return nil, err
		}
	}
	return w, q.refs.check(q.update != nil || q.condition != nil)
}
