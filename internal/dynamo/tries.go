package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"
)

// tries knows what became of the tries of one transaction: whether one may have been committed unseen. The SDK repeats a
// request inside one call and tells of the last try only: the conflict that it reports may come after a commit whose reply
// was lost, and the context's end after conflicts, or before anything was sent.
type tries struct {
	watched bool // by watch; a client that makes no stack of the SDK's is not
	refused bool // a try was answered, and committed nothing
	lost    bool // a try got no answer
}

// watch is an option of a call that shows each of the SDK's tries to note: outermost in the step that reads the reply, so
// a request that was never sent is no try.
func (t *tries) watch(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		t.watched = true
		return stack.Deserialize.Add(middleware.DeserializeMiddlewareFunc("usercore:LostReplies", func(
			ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
		) (middleware.DeserializeOutput, middleware.Metadata, error) {
			out, metadata, err := next.HandleDeserialize(ctx, in)
			t.note(err)
			return out, metadata, err
		}), middleware.Before)
	})
}

// ended takes the result of a whole call, which says more only if watch saw none of its tries.
func (t *tries) ended(err error) {
	if !t.watched {
		t.note(err)
	}
}

// note takes the result of one try.
func (t *tries) note(err error) {
	switch {
	case err == nil:
	case answered(err):
		t.refused = true
	default:
		t.lost = true
	}
}

// cut is the error of a call that a context's end cut off between two tries: ErrContention with what it says. Any other
// stays as it is.
func (t *tries) cut(ctx context.Context, err error) error {
	if end := ctx.Err(); end != nil && t.refused && errors.Is(err, end) {
		return fmt.Errorf("%w: %w", ErrContention, err)
	}
	return err
}

// unsettled is the error of a change on which DynamoDB did not decide in time: without a lost reply, undecided; else
// ErrOutcomeUnknown with the cause.
func (t *tries) unsettled(undecided, cause error) error {
	if !t.lost {
		return undecided
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, cause)
}

// answered says whether an error is DynamoDB's word that this try committed nothing. It is not after a broken connection,
// an ended context or an internal error, nor while an earlier try of the same transaction is at work.
func answered(err error) bool {
	var running *types.TransactionInProgressException
	if errors.As(err, &running) {
		return false
	}
	var canceled *types.TransactionCanceledException
	return errors.As(err, &canceled) || passing(err) || refused(err)
}
