package consume

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attributes of a claim. Times are epoch milliseconds.
const (
	attrFence        = "fence"
	attrClaimant     = "claimant"
	attrClaimedUntil = "claimedUntil"
	attrDoneAt       = "doneAt"
)

// errDone says that the effect is done already.
var errDone = errors.New("consume: the effect is done")

// claim takes the event for this delivery and returns the fencing token. The claimant is new for each delivery: by it, a repeated request
// whose reply was lost knows its own claim.
func (f *Effects) claim(ctx context.Context, eventID, claimant string) (int64, error) {
	now := f.cfg.Now()
	x := newExpression()
	x.set(attrClaimant, text(claimant))
	x.set(attrClaimedUntil, number(now.Add(f.cfg.Lease).UnixMilli()))
	x.set(f.cfg.TTLAttribute, number(now.Add(f.cfg.Retention).Unix()))
	x.add(attrFence, number(1))
	until := x.name(attrClaimedUntil)
	condition := fmt.Sprintf("attribute_not_exists(%s) AND (attribute_not_exists(%s) OR %s <= %s)",
		x.name(attrDoneAt), until, until, x.value(number(now.UnixMilli())))
	item, old, err := f.write(ctx, eventID, x, condition)
	switch {
	case err != nil:
		return 0, fmt.Errorf("consume: claim event: %w", err)
	case item != nil:
		return readNumber(item, attrFence)
	case old[attrDoneAt] != nil:
		return 0, errDone
	case readText(old, attrClaimant) == claimant:
		return readNumber(old, attrFence)
	default:
		return 0, ErrInProgress
	}
}

// complete notes that the effect is done, unless another delivery has taken over.
func (f *Effects) complete(ctx context.Context, eventID string, fence int64) error {
	now := f.cfg.Now()
	x := newExpression()
	x.set(attrDoneAt, number(now.UnixMilli()))
	x.set(f.cfg.TTLAttribute, number(now.Add(f.cfg.Retention).Unix()))
	x.remove(attrClaimant)
	x.remove(attrClaimedUntil)
	item, old, err := f.write(ctx, eventID, x, held(x, fence))
	switch {
	case err != nil:
		return fmt.Errorf("consume: note that the effect is done: %w", err)
	case item != nil:
		return nil
	case old[attrDoneAt] == nil:
		return ErrClaimLost
	}
	last, err := readNumber(old, attrFence)
	if err == nil && last != fence {
		return errDone
	}
	return err // done under this fence: by the same request, whose reply was lost
}

// release gives the claim back after a failure, so that the next delivery need not wait for the end of the lease. If the claim is lost
// there is nothing to give back.
func (f *Effects) release(ctx context.Context, eventID string, fence int64) error {
	x := newExpression()
	x.remove(attrClaimant)
	x.remove(attrClaimedUntil)
	if _, _, err := f.write(ctx, eventID, x, held(x, fence)); err != nil {
		return fmt.Errorf("consume: give the claim back: %w", err)
	}
	return nil
}

// held is the condition that nobody has claimed the event since, and that it is not done.
func held(x *expression, fence int64) string {
	return fmt.Sprintf("%s = %s AND attribute_not_exists(%s)", x.name(attrFence), x.value(number(fence)), x.name(attrDoneAt))
}

// write sends an update of the event's item. It returns the new item, or the old one if the condition failed; item is nil then.
func (f *Effects) write(ctx context.Context, eventID string, x *expression, condition string) (item, old Item, err error) {
	out, err := f.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                           aws.String(f.cfg.Table.Name),
		Key:                                 f.cfg.Table.key(eventID),
		UpdateExpression:                    aws.String(x.update()),
		ConditionExpression:                 aws.String(condition),
		ExpressionAttributeNames:            x.names,
		ExpressionAttributeValues:           x.values,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	if failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return nil, failed.Item, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return out.Attributes, nil, nil
}

func readNumber(item Item, attribute string) (int64, error) {
	v, ok := item[attribute].(*types.AttributeValueMemberN)
	if !ok {
		return 0, fmt.Errorf("%w: %s is not a number", ErrDamaged, attribute)
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %s is not a whole number of 64 bits", ErrDamaged, attribute)
	}
	return n, nil
}

func readText(item Item, attribute string) string {
	v, _ := item[attribute].(*types.AttributeValueMemberS)
	if v == nil {
		return ""
	}
	return v.Value
}
