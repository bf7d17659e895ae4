package ratelimit

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Limiter is what [TokenBucket], [SlidingWindow] and [FixedWindow] do. Keys are any text; see [Key] for keys made of parts from outside.
// All methods may be called concurrently and return as soon as ctx ends, with an error that wraps ctx.Err(); a unit whose write was already
// on its way then stays used.
type Limiter interface {
	// Allow asks for one unit of key. An error means that nothing was decided: ctx has ended. A DynamoDB that fails is no error but a
	// decision by the failure policy, with Degraded set. Costs one write, or nothing if the denial is already known.
	Allow(ctx context.Context, key string) (Decision, error)
	// AllowN asks for n units, all or none. It returns [ErrUnits] without a request if n is below 1 or can never be admitted.
	AllowN(ctx context.Context, key string, n int) (Decision, error)
	// Peek returns what Allow would decide, and uses nothing. Costs one strongly consistent read.
	Peek(ctx context.Context, key string) (Decision, error)
	// Reset makes key unused. Other processes that have been denied may go on denying, from memory, until the RetryAfter that they were
	// given has passed. An error wraps DynamoDB's; the key is then reset or not. May be called twice. Costs one write.
	Reset(ctx context.Context, key string) error
	// Wait blocks until one unit of key is admitted. It returns [ErrLimited] at once if that would take longer than ctx or Tuning.MaxWait
	// allows, and an error that wraps the Decision's Cause if DynamoDB fails and the failure policy denies. Callers that wait are not
	// served in order.
	Wait(ctx context.Context, key string) error
}

var (
	_ Limiter = (*TokenBucket)(nil)
	_ Limiter = (*SlidingWindow)(nil)
	_ Limiter = (*FixedWindow)(nil)
)

// Client is the part of *dynamodb.Client that limiters use. Its retries apply: the limiter sends each request once and adds only that a
// conflict with somebody's transaction is retried like throttling. It must be safe for concurrent use.
type Client interface {
	GetItem(ctx context.Context, in *dynamodb.GetItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
}
