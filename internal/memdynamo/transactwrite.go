package memdynamo

import (
	"errors"
	"strings"
	"time"
)

func transactWriteItems(db *DB, r *jsonReader, w *jsonWriter) error {
	var writes []*write
	var token *string
	cost, metrics := costNone, ""
	err := r.request(members{
		"TransactItems":               listOf(r, &writes, r.action),
		"ClientRequestToken":          &token,
		"ReturnConsumedCapacity":      oneOf{&cost, costKinds},
		"ReturnItemCollectionMetrics": oneOf{&metrics, metricsKinds},
	})
	if err != nil {
		return err
	}
	if token != nil && (*token == "" || len(*token) > maxToken) {
		return invalid("ClientRequestToken must have between 1 and %d characters", maxToken)
	}
	if err := checkCount("TransactItems", len(writes), maxActions); err != nil {
		return err
	}
	for _, action := range writes {
		if err := action.parseAction(); err != nil {
			return err
		}
	}
	costs, kind, err := db.transact(writes, token)
	if err != nil {
		return err
	}
	w.beginObject()
	w.consumedBill(cost, costs, kind)
	w.endObject()
	return nil
}

// action reads one element of TransactItems: an object with one member, named after what to do.
func (r *jsonReader) action() *write {
	var action *write
	as := func(kind writeKind) func() {
		return func() {
			if action != nil {
				r.fail(invalid("TransactItems can only contain one of Check, Put, Update or Delete"))
				return
			}
			action = &write{kind: kind}
			r.members(action.members())
		}
	}
	r.members(members{"Put": as(putWrite), "Update": as(updateWrite), "Delete": as(deleteWrite), "ConditionCheck": as(checkWrite)})
	if action == nil {
		r.fail(invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"))
	}
	return action
}

// parseAction is parse for an action of a transaction, whose expressions are not all optional.
func (w *write) parseAction() error {
	if w.kind == checkWrite && w.conditionText == nil {
		return invalid("The parameter 'ConditionExpression' is required but was not present in the request")
	}
	if w.kind == updateWrite && w.updateText == nil {
		return invalid("The parameter 'UpdateExpression' is required but was not present in the request")
	}
	return w.parse()
}

// transact carries the writes out, all or none, and returns what they cost together with the name under which a
// transaction states it. A repeated token changes nothing and costs reads.
func (db *DB) transact(writes []*write, token *string) (costs bill, kind string, err error) {
	content := fingerprintOf(token, writes)
	err = db.write(func(now time.Time) error {
		targets, err := db.prepareAll(writes, "Transaction request cannot include multiple operations on one item")
		if err != nil {
			return err
		}
		repeated, err := db.repeated(token, content)
		if err != nil {
			return err
		}
		if repeated {
			kind = "ReadCapacityUnits"
			costs = readBack(targets)
			db.meter.read(costs.total())
			return nil
		}
		changes, err := evaluateAll(writes, targets)
		if err != nil {
			if is(err, codeCancelled) {
				db.meter.write(refusedUnits(targets))
			}
			return err
		}
		kind = "WriteCapacityUnits"
		for _, c := range changes {
			db.apply(now, c, false)
			c.charge(&costs, transactional)
		}
		db.meter.write(costs.total())
		db.remember(token, content, now)
		return nil
	})
	return costs, kind, err
}

// prepareAll finds the targets of all writes. No two may be the same item; twice is the error that says so.
func (db *DB) prepareAll(writes []*write, twice string) ([]target, error) {
	type place struct {
		table *table
		place string
	}
	targets := make([]target, len(writes))
	seen := make(map[place]bool, len(writes))
	for i, w := range writes {
		at, err := db.prepare(w)
		if err != nil {
			return nil, err
		}
		if seen[place{at.table, at.place}] {
			return nil, invalid("%s", twice)
		}
		seen[place{at.table, at.place}] = true
		targets[i] = at
	}
	return targets, nil
}

// evaluateAll judges every write, so that the reasons of a cancellation are complete, and returns the changes if all are
// possible.
func evaluateAll(writes []*write, targets []target) ([]change, error) {
	changes := make([]change, len(writes))
	reasons := make([]cancellationReason, len(writes))
	cancelled := false
	size := 0
	for i, w := range writes {
		c, err := w.evaluate(targets[i])
		changes[i], reasons[i] = c, reasonFor(err)
		cancelled = cancelled || err != nil
		size += max(c.old.bytes(), c.next.bytes())
	}
	if cancelled {
		return nil, cancellation(reasons)
	}
	return changes, checkTransactionSize(size)
}

func checkTransactionSize(size int) error {
	if size > maxTransaction {
		return invalid("Transaction size limit exceeded: the items of a transaction may have at most %d bytes", maxTransaction)
	}
	return nil
}

func reasonFor(err error) cancellationReason {
	var api *apiError
	switch {
	case !errors.As(err, &api):
		return cancellationReason{code: "None"}
	case api.code == codeConditionFailed:
		return cancellationReason{code: "ConditionalCheckFailed", message: api.message, old: api.old}
	}
	return cancellationReason{code: "ValidationError", message: api.message}
}

func cancellation(reasons []cancellationReason) *apiError {
	codes := make([]string, len(reasons))
	for i, reason := range reasons {
		codes[i] = reason.code
	}
	err := newError(codeCancelled, "Transaction cancelled, please refer cancellation reasons for specific reasons [%s]",
		strings.Join(codes, ", "))
	err.reasons = reasons
	return err
}

// refusedUnits is what a cancelled transaction costs: every action as if its own condition had failed.
func refusedUnits(targets []target) float64 {
	units := 0.0
	for _, at := range targets {
		units += transactional * at.refusedUnits()
	}
	return units
}

// readBack is what the repetition of a transaction costs: reading its items.
func readBack(targets []target) bill {
	var costs bill
	for _, at := range targets {
		costs.of(at.table.name).base += transactional * readUnits(at.old.bytes(), true)
	}
	return costs
}
