package ratelimit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// core is a limiter of any algorithm: it sends what rules say, remembers what is known, and lets concurrent callers share writes.
type core[S any] struct {
	client    Client
	table     Table
	rules     rules[S]
	onFailure FailurePolicy
	clock     func() time.Time
	tuning    Tuning
	known     *memory[S]
	lines     lines
	signals   signals
}

// settings are the fields that the configurations of all algorithms have in common.
type settings struct {
	table     Table
	onFailure FailurePolicy
	clock     func() time.Time
	tuning    Tuning
	telemetry Telemetry
}

func newCore[S any](client Client, r rules[S], s settings) (*core[S], error) {
	if client == nil {
		return nil, badConfig("client is nil")
	}
	if s.onFailure != Closed && s.onFailure != Open {
		return nil, badConfig("OnFailure is %d, not Closed or Open", s.onFailure)
	}
	table, err := s.table.withDefaults()
	if err != nil {
		return nil, err
	}
	tuning, err := s.tuning.withDefaults()
	if err != nil {
		return nil, err
	}
	known, err := newMemory[S](tuning.CacheSize)
	if err != nil {
		return nil, badConfig("Tuning.CacheSize: %w", err)
	}
	signals, err := newSignals(s.telemetry)
	if err != nil {
		return nil, err
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	return &core[S]{
		client: client, table: table, rules: r, onFailure: s.onFailure, clock: s.clock, tuning: tuning, known: known,
		lines: lines{byPartition: make(map[string][]*request)}, signals: signals,
	}, nil
}

// Now returns the time by the limiter's clock.
func (c *core[S]) Now() time.Time { return c.clock() }

// Allow asks for one unit of key. An error means that ctx has ended; a DynamoDB that fails gives a decision by the failure policy. Costs
// one write capacity unit in one request or less: nothing for a denial that is known, a share for callers that come together, two requests
// after a wrong guess.
func (c *core[S]) Allow(ctx context.Context, key string) (Decision, error) {
	return c.AllowN(ctx, key, 1)
}

// AllowN asks for n units of key, all or none, like [Limiter.Allow] does for one. It returns [ErrUnits], before any request, if n is below
// 1 or above the limit; n equal to the limit can be admitted.
func (c *core[S]) AllowN(ctx context.Context, key string, n int) (d Decision, err error) {
	o := c.signals.recorder.Begin(&ctx, "ratelimit.allow", "")
	defer o.End(&err)
	if d, err = c.allow(ctx, key, n); err == nil {
		c.signals.decided(ctx, o, d)
	}
	return d, err
}

func (c *core[S]) allow(ctx context.Context, key string, n int) (Decision, error) {
	if n < 1 || n > c.rules.limit() {
		return Decision{}, ErrUnits
	}
	if err := ctx.Err(); err != nil {
		return Decision{}, ended(err)
	}
	partition := c.table.partition(key)
	if s, now := c.recall(partition); c.rules.wait(s, n, now) > 0 {
		return denial(c.rules, s, n, now), nil
	}
	return c.ask(ctx, partition, n)
}

// Peek returns what Allow would decide for key now, and uses nothing. An error means that ctx has ended. Costs one strongly consistent
// read: one request, one read capacity unit.
func (c *core[S]) Peek(ctx context.Context, key string) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, ended(err)
	}
	partition := c.table.partition(key)
	s, now := c.recall(partition)
	bounded, cancel := context.WithTimeout(ctx, c.tuning.Timeout)
	defer cancel()
	out, err := c.client.GetItem(bounded, &dynamodb.GetItemInput{
		TableName: &c.table.Name, Key: c.table.itemKey(partition, c.rules.sort(s)), ConsistentRead: aws.Bool(true),
	})
	if ctx.Err() != nil {
		return Decision{}, ended(ctx.Err())
	}
	if err != nil {
		return c.onFailure.decide(c.rules.limit(), fmt.Errorf("ratelimit: read: %w", err)), nil
	}
	s = c.rules.read(s, out.Item, now)
	if c.rules.wait(s, 1, now) > 0 {
		return denial(c.rules, s, 1, now), nil
	}
	return admission(c.rules, s, now), nil
}

// Reset makes key unused, for a fixed window in the window of now. An error wraps DynamoDB's or ctx.Err(), and leaves open whether the key
// was reset; repeating it is safe. Other processes can go on denying from memory until the RetryAfter that they know of has passed. Costs
// one write capacity unit.
func (c *core[S]) Reset(ctx context.Context, key string) (err error) {
	defer c.signals.recorder.Begin(&ctx, "ratelimit.reset", "").End(&err)
	if err := ctx.Err(); err != nil {
		return ended(err)
	}
	partition := c.table.partition(key)
	s, _ := c.recall(partition)
	bounded, cancel := context.WithTimeout(ctx, c.tuning.Timeout)
	defer cancel()
	_, err = c.client.DeleteItem(bounded, &dynamodb.DeleteItemInput{
		TableName: &c.table.Name, Key: c.table.itemKey(partition, c.rules.sort(s)),
	}, retryConflicts)
	c.known.forget(partition)
	if ctx.Err() != nil {
		return ended(ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("ratelimit: reset: %w", err)
	}
	return nil
}

// recall returns what is known of a partition, and the time.
func (c *core[S]) recall(partition string) (S, int64) {
	now := nanos(c.clock())
	s, _ := c.known.recall(partition)
	return c.rules.at(s, now), now
}

// admit sends one write for n units. It returns the state that the item has then, and whether the units were admitted.
func (c *core[S]) admit(ctx context.Context, partition string, s S, n int, now int64) (S, bool, error) {
	nonce := rand.Text()
	out, err := c.client.UpdateItem(ctx, c.updateItem(partition, s, n, now, nonce), retryConflicts)
	if err == nil {
		return c.rules.read(s, out.Attributes, now), true, nil
	}
	var refused *types.ConditionalCheckFailedException
	if errors.As(err, &refused) {
		own := readText(refused.Item[attrNonce]) == nonce
		return c.rules.read(s, refused.Item, now), own, nil
	}
	return s, false, fmt.Errorf("ratelimit: write: %w", err)
}

// retryConflicts makes the client retry a conflict with somebody's transaction on the same item, which it does not by itself. Nothing was
// written then.
func retryConflicts(o *dynamodb.Options) {
	o.Retryer = retry.AddWithErrorCodes(o.Retryer, (&types.TransactionConflictException{}).ErrorCode())
}

func ended(err error) error {
	return fmt.Errorf("ratelimit: %w", err)
}
