package consume

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/outbox"
)

// Guard is the write of one event as a part of the caller's transaction, for events whose effect is on several items: the other actions
// are carried out if and only if the event's turn has come, and once. State.Guard and Delta.Guard make it. It may be used again and
// concurrently.
//
//	guard, err := delta.Guard(event, consume.Change{})
//	…
//	_, err = client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
//		TransactItems: append(effects, guard.Action()),
//	})
//	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok {
//		reason := canceled.CancellationReasons[len(effects)]
//		if aws.ToString(reason.Code) == "ConditionalCheckFailed" {
//			return guard.Outcome(reason.Item)
//		}
//	}
type Guard struct {
	projection Projection
	order      order
	event      outbox.Event
	expression *expression
	condition  string
}

// Action returns the write as an action of a TransactWriteItems. It costs 2 write units per KiB of the item. A failed condition
// returns the old item, which Outcome reads.
func (g *Guard) Action() types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName:                           aws.String(g.projection.Table.Name),
		Key:                                 g.projection.Table.key(g.event.AggregateID),
		UpdateExpression:                    aws.String(g.expression.update()),
		ConditionExpression:                 aws.String(g.condition),
		ExpressionAttributeNames:            g.expression.names,
		ExpressionAttributeValues:           g.expression.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

// Outcome returns why the condition failed, given the item of its cancellation reason, which is empty if there was none. The error is nil
// for Duplicate and Stale, an *OrderError for Gap and Conflict, and ErrDamaged, with Unknown, for an item for which the condition cannot
// have failed. Call it for the reason ConditionalCheckFailed only.
func (g *Guard) Outcome(old Item) (Outcome, error) {
	last, id, err := g.projection.position(old)
	seq := g.event.Seq
	switch {
	case err != nil:
		return Unknown, err
	case last == seq && id == g.event.ID:
		return Duplicate, nil
	case last == seq && id != "":
		return Conflict, g.misplaced(Conflict, last)
	case last >= seq: // a position without an id is that of a copy from which the consumer started
		return Stale, nil
	case g.order == contiguous && last != seq-1:
		return Gap, g.misplaced(Gap, last)
	default:
		return Unknown, fmt.Errorf("%w: the condition cannot have failed for it", ErrDamaged)
	}
}

func (g *Guard) misplaced(o Outcome, last int64) error {
	return &OrderError{Outcome: o, AggregateID: g.event.AggregateID, Seq: g.event.Seq, LastSeq: last}
}

// apply sends the write on its own.
func (g *Guard) apply(ctx context.Context, client Client) (Outcome, error) {
	update := g.Action().Update
	_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           update.TableName,
		Key:                                 update.Key,
		UpdateExpression:                    update.UpdateExpression,
		ConditionExpression:                 update.ConditionExpression,
		ExpressionAttributeNames:            update.ExpressionAttributeNames,
		ExpressionAttributeValues:           update.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: update.ReturnValuesOnConditionCheckFailure,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return g.Outcome(failed.Item)
	}
	if err != nil {
		return Unknown, fmt.Errorf("consume: apply event: %w", err)
	}
	return Applied, nil
}
