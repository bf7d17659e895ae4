package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Part is one action of a transaction together with what its failed condition means. The zero Part is not an action:
// make one with Put, Update, Delete, Check or Raw.
type Part struct {
	action types.TransactWriteItem
	means  func(old Item) error
	guard  bool
}

// Put writes item, whatever stood under its key.
func Put(table string, item Item) Part {
	return Part{action: types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: item}}}
}

// Update changes the item under key by an update expression.
func Update(table string, key Item, change Expr) Part {
	return Part{action: types.TransactWriteItem{Update: &types.Update{
		TableName: &table, Key: key, UpdateExpression: &change.Text,
		ExpressionAttributeNames: change.Names, ExpressionAttributeValues: change.Values,
	}}}
}

// Delete removes the item under key; an absent one is not an error.
func Delete(table string, key Item) Part {
	return Part{action: types.TransactWriteItem{Delete: &types.Delete{TableName: &table, Key: key}}}
}

// Check writes nothing: it holds the transaction to a condition on the item under key.
func Check(table string, key Item) Part {
	return Part{action: types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{TableName: &table, Key: key}}}
}

// Raw is an action that somebody else made, with its own condition.
func Raw(action types.TransactWriteItem) Part { return Part{action: action} }

// If returns the part under a condition.
func (p Part) If(c Expr) Part {
	switch a := p.action; {
	case a.Put != nil:
		put := *a.Put
		put.ConditionExpression, put.ExpressionAttributeNames, put.ExpressionAttributeValues = &c.Text, c.Names, c.Values
		p.action.Put = &put
	case a.Update != nil:
		update := *a.Update
		update.ConditionExpression = &c.Text
		update.ExpressionAttributeNames = merge(update.ExpressionAttributeNames, c.Names)
		update.ExpressionAttributeValues = merge(update.ExpressionAttributeValues, c.Values)
		p.action.Update = &update
	case a.Delete != nil:
		del := *a.Delete
		del.ConditionExpression, del.ExpressionAttributeNames, del.ExpressionAttributeValues = &c.Text, c.Names, c.Values
		p.action.Delete = &del
	case a.ConditionCheck != nil:
		check := *a.ConditionCheck
		check.ConditionExpression, check.ExpressionAttributeNames, check.ExpressionAttributeValues = &c.Text, c.Names, c.Values
		p.action.ConditionCheck = &check
	}
	return p
}

// Means returns the part with the meaning of its failed condition: an error, or nil when the part only says that what
// was read is stale. old is the item as it stands, nil when there is none. Without a meaning a failure says "stale".
func (p Part) Means(meaning func(old Item) error) Part {
	p.means = meaning
	return p
}

// Guard returns the part as one whose condition cannot fail unless the table was changed by hand. A guard speaks
// only when nothing else failed, since a stale read fails guards too; it then ends the change with ErrCorrupt.
func (p Part) Guard() Part {
	p.guard = true
	return p
}

// asking returns the action with ALL_OLD on a failed condition.
func (p Part) asking() types.TransactWriteItem {
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	switch a := p.action; {
	case a.Put != nil:
		put := *a.Put
		put.ReturnValuesOnConditionCheckFailure = old
		return types.TransactWriteItem{Put: &put}
	case a.Update != nil:
		update := *a.Update
		update.ReturnValuesOnConditionCheckFailure = old
		return types.TransactWriteItem{Update: &update}
	case a.Delete != nil:
		del := *a.Delete
		del.ReturnValuesOnConditionCheckFailure = old
		return types.TransactWriteItem{Delete: &del}
	case a.ConditionCheck != nil:
		check := *a.ConditionCheck
		check.ReturnValuesOnConditionCheckFailure = old
		return types.TransactWriteItem{ConditionCheck: &check}
	}
	return p.action
}

// Kinds is how many of its four kinds an action has set: one in an action that DynamoDB takes.
func Kinds(action types.TransactWriteItem) int {
	n := 0
	for _, set := range []bool{action.Put != nil, action.Update != nil, action.Delete != nil, action.ConditionCheck != nil} {
		if set {
			n++
		}
	}
	return n
}

// Target is the table and the key attributes' holder of an action: the item of a Put, the key of any other.
// Both are zero for an empty action.
func Target(action types.TransactWriteItem) (table string, key Item) {
	switch {
	case action.Put != nil:
		return aws.ToString(action.Put.TableName), action.Put.Item
	case action.Update != nil:
		return aws.ToString(action.Update.TableName), action.Update.Key
	case action.Delete != nil:
		return aws.ToString(action.Delete.TableName), action.Delete.Key
	case action.ConditionCheck != nil:
		return aws.ToString(action.ConditionCheck.TableName), action.ConditionCheck.Key
	}
	return "", nil
}
