package outbox

import (
	"context"
	"maps"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// stillThere is the condition of every change of a pack: nobody has deleted it meanwhile, put a dead letter under its key, or got further
// with it.
const stillThere = "attribute_exists(#pk) AND size(#events) = :events AND (attribute_not_exists(#done) OR #done <= :done)"

// progressOf are the values that stillThere needs.
func progressOf(p *pack) item {
	return item{":done": number(int64(p.done)), ":events": number(int64(len(p.events)))}
}

// failure is what is stored of an event that could not be published.
type failure struct {
	attempts      int
	firstFailedAt time.Time
	lastFailedAt  time.Time
	// reason is the service's code and message.
	reason string
}

// values are what an update of the pack needs for itself and for stillThere.
func (f failure) values(p *pack, more item) item {
	values := item{
		":attempts": number(int64(f.attempts)), ":error": text(f.reason),
		":first": timestamp(f.firstFailedAt), ":last": timestamp(f.lastFailedAt),
	}
	maps.Copy(values, progressOf(p))
	maps.Copy(values, more)
	return values
}

// maxReason keeps an error text from growing an item.
const maxReason = 1024

func reasonOf(r Result) string {
	reason := r.Code
	if r.Message != "" {
		reason += ": " + r.Message
	}
	return clip(reason)
}

// clip cuts an error text to its limit, and leaves only ASCII: a cut in the middle of a character would not be UTF-8.
func clip(reason string) string {
	out := make([]byte, 0, min(len(reason), maxReason))
	for _, char := range reason {
		if len(out) == maxReason {
			break
		}
		if char < ' ' || char > '~' {
			char = '?'
		}
		out = append(out, byte(char))
	}
	return string(out)
}

// saveDone stores how far the pack has got, so that nobody publishes its first events again. Every method here costs 1 write unit per KiB of
// the pack, unless it says otherwise, and reports false if the pack is gone or further than this relay knows.
func (s store) saveDone(ctx context.Context, p *pack) (bool, error) {
	return s.update(ctx, change{
		key:       s.keyOf(p),
		update:    "SET #done = :done",
		condition: stillThere,
		values:    progressOf(p),
		names:     []string{attrEvents, attrDone},
	})
}

// saveFailure stores that the first event that is not done waits until nextAttemptAt.
func (s store) saveFailure(ctx context.Context, p *pack, f failure, nextAttemptAt time.Time) (bool, error) {
	return s.update(ctx, change{
		key: s.keyOf(p),
		update: "SET #done = :done, #attempts = :attempts, #nextAttemptAt = :next, #error = :error, " +
			"#firstFailedAt = :first, #lastFailedAt = :last",
		condition: stillThere,
		values:    f.values(p, item{":next": timestamp(nextAttemptAt)}),
		names:     []string{attrEvents, attrDone, attrAttempts, attrNextAttemptAt, attrError, attrFirstFailedAt, attrLastFailedAt},
	})
}

// hold sets the pack aside for an operator, and with it all later ones of its aggregate.
func (s store) hold(ctx context.Context, p *pack, f failure) (bool, error) {
	return s.update(ctx, change{
		key: s.keyOf(p),
		update: "SET #done = :done, #attempts = :attempts, #heldAt = :last, #error = :error, #firstFailedAt = :first, " +
			"#lastFailedAt = :last REMOVE #nextAttemptAt",
		condition: stillThere,
		values:    f.values(p, nil),
		names:     []string{attrEvents, attrDone, attrAttempts, attrNextAttemptAt, attrHeldAt, attrError, attrFirstFailedAt, attrLastFailedAt},
	})
}

// bury moves the first event that is not done to the dead letters, in one transaction. It costs 2 write units per KiB of the dead
// letter and 2 per KiB of the pack.
func (s store) bury(ctx context.Context, p *pack, f failure) (bool, error) {
	letter := s.table.packItem(newPack(p.events[p.done:p.done+1], p.shards))
	letter[s.table.PartitionKey] = text(s.table.dead(p.shard))
	letter[attrAttempts] = number(int64(f.attempts))
	letter[attrError] = text(f.reason)
	letter[attrFirstFailedAt] = timestamp(f.firstFailedAt)
	letter[attrLastFailedAt] = timestamp(f.lastFailedAt)
	return s.transact(ctx,
		types.TransactWriteItem{Put: &types.Put{TableName: aws.String(s.table.Name), Item: letter}},
		s.withoutFirst(p))
}

// withoutFirst is the action that takes the first event that is not done out of the pack.
func (s store) withoutFirst(p *pack) types.TransactWriteItem {
	c := change{
		key:       s.keyOf(p),
		update:    "SET #done = :next REMOVE #attempts, #nextAttemptAt, #error, #firstFailedAt, #lastFailedAt",
		condition: stillThere,
		values:    progressOf(p),
		names:     []string{attrEvents, attrDone},
	}
	if p.done+1 == len(p.events) {
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName:                 aws.String(s.table.Name),
			Key:                       c.key,
			ConditionExpression:       aws.String(c.condition),
			ExpressionAttributeNames:  c.allNames(s.table),
			ExpressionAttributeValues: c.values,
		}}
	}
	c.values[":next"] = number(int64(p.done) + 1)
	c.names = append(c.names, attrAttempts, attrNextAttemptAt, attrError, attrFirstFailedAt, attrLastFailedAt)
	return types.TransactWriteItem{Update: &types.Update{
		TableName:                 aws.String(s.table.Name),
		Key:                       c.key,
		UpdateExpression:          aws.String(c.update),
		ConditionExpression:       aws.String(c.condition),
		ExpressionAttributeNames:  c.allNames(s.table),
		ExpressionAttributeValues: c.values,
	}}
}

func (s store) keyOf(p *pack) item { return s.table.key(s.table.waiting(p.shard), p.sort) }
