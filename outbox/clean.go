package outbox

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// clean deletes what was published, until ctx ends, or until nothing is left if the backlog is being flushed.
func (p *pipeline) clean(ctx context.Context) {
	pump(ctx, p.backlog.cleanSignal, func(now time.Time) (func(), time.Duration, bool) {
		c, wait, done := p.backlog.takeChores(now)
		if c == nil {
			return nil, wait, done
		}
		return func() { p.do(ctx, c) }, 0, false
	})
}

// do carries out chores.
func (p *pipeline) do(ctx context.Context, c *chores) {
	if c.save == nil {
		p.backlog.deleted(c, p.delete(ctx, c.deletions))
		return
	}
	if _, err := p.store.saveDone(ctx, c.save); err != nil {
		p.Logger.WarnContext(ctx, "outbox: progress not stored, events may be published twice", "error", err)
	}
	p.backlog.saved(c.save)
}

// delete repeats a deletion until it succeeds or ctx ends, and returns what is left then: its packs are remembered and not sent again.
func (p *pipeline) delete(ctx context.Context, packs []deletion) []deletion {
	// failures are those of this deletion since any came through.
	failures, succeeded := 0, p.deletions.Load()
	for try := 1; ; try++ {
		left, err := p.store.deletePacks(ctx, packs)
		p.stats.deleted(len(packs) - len(left))
		packs = left
		if err == nil {
			p.deletions.Add(1)
		} else {
			if now := p.deletions.Load(); now != succeeded {
				failures, succeeded = 0, now
			}
			failures++
			p.Logger.WarnContext(ctx, "outbox: delete failed", "error", err, "try", try)
			p.deleteFailing(failures, err)
		}
		if len(packs) == 0 || pause(ctx, backoff(try, p.MaxBackoff)) != nil {
			return packs
		}
	}
}

// deletePacks deletes up to 25 packs in one request and returns those that are left. It costs 1 write unit per KiB of each pack.
func (s store) deletePacks(ctx context.Context, packs []deletion) (left []deletion, err error) {
	if packs[0].stored > 0 {
		return s.deleteBegun(ctx, packs)
	}
	requests := make([]types.WriteRequest, len(packs))
	for i, d := range packs {
		requests[i].DeleteRequest = &types.DeleteRequest{Key: s.table.key(s.table.waiting(d.shard.number), d.sort)}
	}
	out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{s.table.Name: requests},
	})
	if err != nil {
		return packs, err
	}
	type id struct{ partition, sort string }
	unprocessed := make(map[id]bool)
	for _, list := range out.UnprocessedItems { // of the one table, under whichever form of its name
		for _, request := range list {
			key := request.DeleteRequest.Key
			unprocessed[id{textOf(key, s.table.PartitionKey), textOf(key, s.table.SortKey)}] = true
		}
	}
	for _, d := range packs {
		if unprocessed[id{s.table.waiting(d.shard.number), d.sort}] {
			left = append(left, d)
		}
	}
	return left, nil
}

// deleteBegun deletes one pack unless another one is there under its key, which then has no such progress.
func (s store) deleteBegun(ctx context.Context, packs []deletion) (left []deletion, err error) {
	d := packs[0]
	_, err = s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                 aws.String(s.table.Name),
		Key:                       s.table.key(s.table.waiting(d.shard.number), d.sort),
		ConditionExpression:       aws.String("attribute_not_exists(#pk) OR #done >= :done"),
		ExpressionAttributeNames:  map[string]string{"#pk": s.table.PartitionKey, "#done": attrDone},
		ExpressionAttributeValues: item{":done": number(int64(d.stored))},
	})
	if err != nil && !isConditionFailed(err) {
		return packs, err
	}
	return nil, nil
}
