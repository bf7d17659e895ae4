package ratelimit

import (
	"context"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// updateItem returns the request that admits n units. It carries a nonce: a request that is sent again because its reply was lost finds its
// own nonce in the item, fails, and so is known to have been admitted, instead of being charged twice. Only if another write comes between
// the two is the nonce gone, and the unit charged again: the limit is then reached early, never exceeded.
func (c *core[S]) updateItem(partition string, s S, n int, now int64, nonce string) *dynamodb.UpdateItemInput {
	u := c.stamped(s, n, now)
	u.values[":nonce"] = text(nonce)
	return &dynamodb.UpdateItemInput{
		TableName:                           &c.table.Name,
		Key:                                 c.table.itemKey(partition, c.rules.sort(s)),
		UpdateExpression:                    aws.String("SET " + u.set + ", nonce = :nonce"),
		ConditionExpression:                 aws.String(u.when + " AND NOT nonce = :nonce"),
		ExpressionAttributeNames:            u.names,
		ExpressionAttributeValues:           u.values,
		ReturnValues:                        types.ReturnValueAllNew,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

// transactItem returns the admission of one unit as part of a caller's transaction, and the reader of its failure. It needs no nonce:
// transactions have their own token against being applied twice.
func (c *core[S]) transactItem(partition string, now int64) (types.TransactWriteItem, func(map[string]types.AttributeValue) Decision) {
	known, epoch := c.known.recall(partition)
	s := c.rules.at(known, now)
	u := c.stamped(s, 1, now)
	item := types.TransactWriteItem{Update: &types.Update{
		TableName:                           &c.table.Name,
		Key:                                 c.table.itemKey(partition, c.rules.sort(s)),
		UpdateExpression:                    aws.String("SET " + u.set),
		ConditionExpression:                 aws.String(u.when),
		ExpressionAttributeNames:            u.names,
		ExpressionAttributeValues:           u.values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
	return item, func(old map[string]types.AttributeValue) Decision {
		stored := c.rules.read(s, old, now)
		c.known.store(partition, stored, epoch)
		d := denial(c.rules, stored, 1, now)
		d.RetryAfter = max(1, d.RetryAfter) // there was room, and an action that knows of stored will find it
		if d.Remaining == 0 {
			c.signals.decisions.Add(context.Background(), 1, "limiter", c.signals.name, "outcome", outcomeDenied)
		}
		return d
	}
}

// stamped returns the algorithm's update with the TTL attribute set.
func (c *core[S]) stamped(s S, n int, now int64) update {
	u := c.rules.write(s, n, now)
	u.set += ", #ttl = :ttl"
	u.names = maps.Clone(u.names)
	if u.names == nil {
		u.names = make(map[string]string, 1)
	}
	u.names["#ttl"] = c.table.TTLAttribute
	u.values[":ttl"] = number(ceilSeconds(c.rules.expiry(s, now)))
	return u
}
