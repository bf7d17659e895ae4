package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// Commit writes all parts or none. It returns nil once they are committed, else
//
//   - the first error that a failed part gives, in the order of the parts;
//   - ErrStale when conditions failed and no part gives an error;
//   - ErrCorrupt when only guards failed;
//   - ErrContention when conflicts and throttling outlast the deadline;
//   - ErrOutcomeUnknown when a try got no answer, also one that the SDK repeats by itself, and no later try was decided;
//   - what DynamoDB says when it refuses the request, or the SDK when it sends none: without credentials, or when the context
//     ends before.
//
// The same bytes go under one idempotency token, so a reply that was lost does not write twice, and a later try whose
// conditions fail says that none was committed. A conflict or throttling on any part is resent and answers nothing: it may
// hide a failed condition that comes first.
func Commit(ctx context.Context, client Client, parts ...Part) error {
	if len(parts) > MaxActions {
		return fmt.Errorf("%w, not %d", ErrTooManyActions, len(parts))
	}
	actions := make([]types.TransactWriteItem, len(parts))
	for i, p := range parts {
		actions[i] = p.asking()
	}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: actions, ClientRequestToken: aws.String(uuid.NewString())}
	var (
		sent tries
		wait Backoff
	)
	for {
		_, err := client.TransactWriteItems(ctx, input, sent.watch)
		if err == nil {
			return nil
		}
		sent.ended(err)
		telemetry.From(ctx).Refused(reasons(err)...)
		if !passing(err) {
			var canceled *types.TransactionCanceledException
			if errors.As(err, &canceled) {
				return judge(canceled, parts)
			}
			return sent.unsettled(sent.cut(ctx, err), err)
		}
		if ended := wait.Pause(ctx, err); ended != nil {
			return sent.unsettled(ended, cmp.Or(ctx.Err(), err))
		}
	}
}

// reasons are the codes of a refusal: one for each action of a cancelled transaction, else one; none when no answer came.
func reasons(err error) []string {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		codes := make([]string, len(canceled.CancellationReasons))
		for i, r := range canceled.CancellationReasons {
			codes[i] = aws.ToString(r.Code)
		}
		return codes
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return []string{api.ErrorCode()}
	}
	return nil
}

// passing says whether the same transaction can succeed later: nothing was decided about its conditions.
func passing(err error) bool {
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		for _, r := range canceled.CancellationReasons {
			switch aws.ToString(r.Code) {
			case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
				return true
			}
		}
		return false
	}
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode() {
	case "TransactionInProgressException", "TransactionConflictException", "ThrottlingException",
		"ProvisionedThroughputExceededException", "RequestLimitExceeded":
		return true
	}
	return false
}

// judge turns a cancelled transaction into its one meaning.
func judge(canceled *types.TransactionCanceledException, parts []Part) error {
	if len(canceled.CancellationReasons) != len(parts) {
		return fmt.Errorf("a cancelled transaction of %d actions came with %d reasons", len(parts), len(canceled.CancellationReasons))
	}
	var failed []int
	for i, r := range canceled.CancellationReasons {
		switch code := aws.ToString(r.Code); code {
		case "", "None":
		case "ConditionalCheckFailed":
			failed = append(failed, i)
		default:
			return fmt.Errorf("action %d of the transaction: %s: %s", i, code, aws.ToString(r.Message))
		}
	}
	if len(failed) == 0 {
		return fmt.Errorf("a transaction was cancelled without a reason")
	}
	return meaning(parts, failed, canceled.CancellationReasons)
}

// meaning asks all failed parts in their order; the first error counts. Guards are heard only when nothing else failed.
func meaning(parts []Part, failed []int, reasons []types.CancellationReason) error {
	var first error
	guardsOnly := true
	for _, i := range failed {
		if parts[i].guard {
			continue
		}
		guardsOnly = false
		if parts[i].means == nil {
			continue
		}
		old := reasons[i].Item
		if len(old) == 0 {
			old = nil
		}
		first = cmp.Or(first, parts[i].means(old))
	}
	if guardsOnly {
		return fmt.Errorf("%w (action %d)", ErrCorrupt, failed[0])
	}
	return cmp.Or(first, ErrStale)
}

// refused says whether DynamoDB answered that it does not take the request.
func refused(err error) bool {
	var response interface{ HTTPStatusCode() int }
	return errors.As(err, &response) && response.HTTPStatusCode()/100 == 4
}
