package ratelimit_test

import (
	"context"
	"maps"
	"strconv"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/ratelimit"
)

// store is a table in memory with the calls that limiters make.
type store struct {
	code  compiled
	mu    sync.Mutex
	items map[string]item
	calls int
	// before runs before a request is applied; an error is the request's answer. It runs outside the lock and may block.
	before func(ctx context.Context, op string) error
	// after runs when an update has been applied and before its reply, outside the lock.
	after func()
}

var _ ratelimit.Client = (*store)(nil)

func newStore() *store {
	return &store{items: make(map[string]item)}
}

func (s *store) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if err := s.begin(ctx, "GetItem"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &dynamodb.GetItemOutput{Item: maps.Clone(s.items[keyText(in.Key)])}, nil
}

func (s *store) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	if err := s.begin(ctx, "DeleteItem"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, keyText(in.Key))
	return &dynamodb.DeleteItemOutput{}, nil
}

func (s *store) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	if err := s.begin(ctx, "UpdateItem"); err != nil {
		return nil, err
	}
	after, old, ok := s.apply(in.Key, *in.UpdateExpression, *in.ConditionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if s.after != nil {
		s.after()
	}
	if !ok {
		return nil, &types.ConditionalCheckFailedException{Item: old}
	}
	return &dynamodb.UpdateItemOutput{Attributes: after}, nil
}

func (s *store) commit(t types.TransactWriteItem) (old item, ok bool) {
	u := t.Update
	_, old, ok = s.apply(u.Key, *u.UpdateExpression, *u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues)
	return old, ok
}

func (s *store) begin(ctx context.Context, op string) error {
	s.mu.Lock()
	s.calls++
	before := s.before
	s.mu.Unlock()
	if before != nil {
		if err := before(ctx, op); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *store) apply(key item, update, when string, names map[string]string, values item) (after, old item, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := keyText(key)
	old = s.items[id]
	sc := scope{old: old, names: names, values: values}
	if !s.code.condition(when)(sc) {
		return nil, maps.Clone(old), false
	}
	after = maps.Clone(key)
	maps.Copy(after, old)
	for _, a := range s.code.update(update) {
		after[sc.name(a.target)] = a.value(sc)
	}
	s.items[id] = after
	return maps.Clone(after), old, true
}

func (s *store) expire(sec int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.items, func(_ string, it item) bool { return expired(it, sec) })
}

// expired reports whether DynamoDB's TTL may delete the item at sec, epoch seconds.
func expired(it item, sec int64) bool {
	ttl, ok := it["ttl"].(*types.AttributeValueMemberN)
	if !ok {
		return false
	}
	end, err := strconv.ParseInt(ttl.Value, 10, 64)
	return err == nil && end < sec
}

func (s *store) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func keyText(key item) string {
	partition, _ := key["PK"].(*types.AttributeValueMemberS)
	sort, _ := key["SK"].(*types.AttributeValueMemberS)
	return partition.Value + "\x00" + sort.Value
}
