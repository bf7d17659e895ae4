package memdynamo

import (
	"errors"
	"strings"
	"time"
)

func transactWriteItems(db *DB, r *jsonReader, w *jsonWriter) error {
	var actions []*writeRequest
	token, cost := "", detailNone
	r.object(func(name string) {
		switch name {
		case "TransactItems":
			r.array(func() { actions = append(actions, r.transactAction()) })
		case "ClientRequestToken":
			token = r.str()
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
	if len(token) > maxToken {
		return invalid("ClientRequestToken must have at most %d characters", maxToken)
	}
	writes, err := parseActions(actions)
	if err != nil {
		return err
	}
	costs, kind, err := db.transact(writes, token, actions)
	if err != nil {
		return err
	}
	w.beginObject()
	w.consumedBill(cost, costs, kind)
	w.endObject()
	return nil
}

// transactAction reads one element of TransactItems: an object with one member, named after what to do.
func (r *jsonReader) transactAction() *writeRequest {
	var action *writeRequest
	r.object(func(name string) {
		kinds := map[string]writeKind{"Put": putWrite, "Update": updateWrite, "Delete": deleteWrite, "ConditionCheck": checkWrite}
		kind, ok := kinds[name]
		if !ok {
			r.unknown(name)
			return
		}
		if action != nil {
			r.fail(invalid("TransactItems can only contain one of Check, Put, Update or Delete"))
			return
		}
		action = &writeRequest{kind: kind}
		r.object(func(name string) {
			if !action.member(name, r) {
				r.unknown(name)
			}
		})
	})
	if action == nil {
		r.fail(invalid("Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"))
	}
	return action
}

func parseActions(actions []*writeRequest) ([]*write, error) {
	if len(actions) == 0 || len(actions) > maxActions {
		return nil, invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: "+
			"Member must have length between 1 and %d", maxActions)
	}
	writes := make([]*write, len(actions))
	for i, action := range actions {
		if action.kind == checkWrite && action.condition == nil {
			return nil, invalid("The ConditionExpression of a ConditionCheck is missing")
		}
		if action.kind == updateWrite && action.update == nil {
			return nil, invalid("The UpdateExpression of an Update is missing")
		}
		var err error
		if writes[i], err = action.parse(); err != nil {
			return nil, err
		}
	}
	return writes, nil
}

// transact carries the writes out, all or none, and returns what they cost together with the name under which a
// transaction states it. A repeated token changes nothing and costs reads.
func (db *DB) transact(writes []*write, token string, content []*writeRequest) (costs bill, kind string, err error) {
	fingerprint := fingerprintOf(token, content)
	err = db.write(func(now time.Time) error {
		targets, err := db.prepareAll(writes)
		if err != nil {
			return err
		}
		done, err := db.repeated(token, fingerprint)
		if err != nil {
			return err
		}
		if done {
			kind = "ReadCapacityUnits"
			costs = readBack(targets)
			db.meter.read(costs.total())
			return nil
		}
		changes, err := evaluateAll(writes, targets)
		if err != nil {
			db.meter.write(cancelledUnits(targets))
			return err
		}
		kind = "WriteCapacityUnits"
		for _, c := range changes {
			db.apply(now, c, false)
			c.charge(&costs, transactional)
		}
		db.meter.write(costs.total())
		db.remember(token, fingerprint, now)
		return nil
	})
	return costs, kind, err
}

// prepareAll finds the targets of all writes; no two may be the same item.
func (db *DB) prepareAll(writes []*write) ([]target, error) {
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
			return nil, invalid("Transaction request cannot include multiple operations on one item")
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
	if size > maxTransaction {
		return nil, invalid("Transaction size limit exceeded: the items of a transaction may have at most %d bytes", maxTransaction)
	}
	return changes, nil
}

func reasonFor(err error) cancellationReason {
	var api *apiError
	switch {
	case err == nil || !errors.As(err, &api):
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

// cancelledUnits is what a cancelled transaction costs: its writes as they were asked for, without indexes.
func cancelledUnits(targets []target) float64 {
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
