package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Redriven counts what a redrive did.
type Redriven struct {
	// Released are packs that were held, or waited for their next attempt, and are sent at once.
	Released int
	// Returned are dead letters that are sent again. They come after the later events of their aggregate that were published meanwhile.
	Returned int
	// Left are dead letters that stay for now, because later events of the same transaction still wait under the same key. Redrive
	// again once those are published.
	Left int
}

// Redrive sends the events of one aggregate again that could not be published: it releases its packs that are held or back off, and returns
// its dead letters to the outbox. Remove the cause first. It costs a read of the packs, and 1 write unit per KiB of each pack
// released, 4 per KiB of each dead letter. Repeating it after an error does no harm. An item that is no pack is passed over, and told as an
// error once all others are done.
func (a *Admin) Redrive(ctx context.Context, aggregateID string) (Redriven, error) {
	if aggregateID == "" {
		return Redriven{}, badConfig("the aggregate's id is empty")
	}
	return a.redrive(ctx, aggregateID)
}

// RedriveAll does what Redrive does for all aggregates. It reads the whole outbox.
func (a *Admin) RedriveAll(ctx context.Context) (Redriven, error) { return a.redrive(ctx, "") }

func (a *Admin) redrive(ctx context.Context, aggregateID string) (Redriven, error) {
	var done Redriven
	// Dead letters first: they precede what their pack still holds back.
	foreign, err := a.each(ctx, aggregateID, a.store.table.dead, func(p *pack) error {
		returned, err := a.store.giveBack(ctx, p)
		switch {
		case err != nil:
			return err
		case returned:
			done.Returned++
		default:
			done.Left++
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	foreignWaiting, err := a.each(ctx, aggregateID, a.store.table.waiting, func(p *pack) error {
		if p.heldAt.IsZero() && p.nextAttemptAt.IsZero() {
			return nil
		}
		released, err := a.store.release(ctx, p)
		if released {
			done.Released++
		}
		return err
	})
	return done, cmp.Or(err, foreign, foreignWaiting)
}

// each calls do for packs until it fails. Foreign is the error of an item that is no pack, if there was one.
func (a *Admin) each(
	ctx context.Context, aggregateID string, partitionOf func(shard int) string, do func(*pack) error,
) (foreign, err error) {
	for p, err := range a.packs(ctx, aggregateID, partitionOf) {
		switch {
		case errors.Is(err, errMalformed):
			foreign = err
			continue
		case err != nil:
			return foreign, err
		}
		if err := do(p); err != nil {
			return foreign, fmt.Errorf("outbox: redrive: %w", err)
		}
	}
	return foreign, nil
}

// giveBack moves a dead letter to where packs wait. It reports false if one waits under the same key, or if the letter is gone.
func (s store) giveBack(ctx context.Context, p *pack) (bool, error) {
	names := map[string]string{"#pk": s.table.PartitionKey}
	return s.transact(ctx,
		types.TransactWriteItem{Delete: &types.Delete{
			TableName:                aws.String(s.table.Name),
			Key:                      s.table.key(s.table.dead(p.shard), p.sort),
			ConditionExpression:      aws.String("attribute_exists(#pk)"),
			ExpressionAttributeNames: names,
		}},
		types.TransactWriteItem{Put: &types.Put{
			TableName:                aws.String(s.table.Name),
			Item:                     s.table.packItem(newPack(p.events, p.shards)),
			ConditionExpression:      aws.String("attribute_not_exists(#pk)"),
			ExpressionAttributeNames: names,
		}})
}

// release lets a pack be sent at once, with its failures forgotten.
func (s store) release(ctx context.Context, p *pack) (bool, error) {
	return s.update(ctx, change{
		key:       s.keyOf(p),
		update:    "REMOVE #heldAt, #attempts, #nextAttemptAt, #error, #firstFailedAt, #lastFailedAt",
		condition: "attribute_exists(#pk)",
		names:     []string{attrHeldAt, attrAttempts, attrNextAttemptAt, attrError, attrFirstFailedAt, attrLastFailedAt},
	})
}
