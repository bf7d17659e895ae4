package dynamo_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// script answers each transaction with the next of its errors, and with success after the last.
type script struct {
	dynamo.Client
	answers []error
	sent    []*dynamodb.TransactWriteItemsInput
}

func (s *script) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	s.sent = append(s.sent, in)
	if len(s.sent) > len(s.answers) {
		return &dynamodb.TransactWriteItemsOutput{}, nil
	}
	return nil, s.answers[len(s.sent)-1]
}

// canceled is a cancelled transaction; a code of "!" is a failed condition with an old item.
func canceled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		r := types.CancellationReason{Code: aws.String(code)}
		if code == "!" {
			r.Code = aws.String("ConditionalCheckFailed")
			r.Item = dynamo.Item{"v": &types.AttributeValueMemberS{Value: "old"}}
		}
		e.CancellationReasons = append(e.CancellationReasons, r)
	}
	return e
}

const failed = "ConditionalCheckFailed"

var (
	errFirst  = errors.New("first")
	errSecond = errors.New("second")
)

func means(err error) func(dynamo.Item) error { return func(dynamo.Item) error { return err } }

// three parts: the first means errFirst or nothing, the second errSecond, the third is a guard.
func parts(first error) []dynamo.Part {
	key := dynamo.Item{"PK": &types.AttributeValueMemberS{Value: "k"}}
	absent := dynamo.Expr{Text: "attribute_not_exists(PK)"}
	return []dynamo.Part{
		dynamo.Put("t", key).If(absent).Means(means(first)),
		dynamo.Delete("t", key).If(absent).Means(means(errSecond)),
		dynamo.Check("t", key).If(absent).Guard(),
	}
}

func TestCommitGivesOneMeaning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first  error
		answer error
		want   error
	}{
		"first_of_two":               {errFirst, canceled(failed, failed, "None"), errFirst},
		"stale_then_error":           {nil, canceled(failed, failed, "None"), errSecond},
		"stale_alone":                {nil, canceled(failed, "None", "None"), dynamo.ErrStale},
		"guard_alone":                {nil, canceled("None", "None", failed), dynamo.ErrCorrupt},
		"guard_beside_stale":         {nil, canceled(failed, "None", failed), dynamo.ErrStale},
		"guard_beside_error":         {nil, canceled("None", failed, failed), errSecond},
		"empty_code_is_none":         {nil, canceled("", failed, ""), errSecond},
		"validation_error_at_once":   {errFirst, canceled(failed, "ValidationError", "None"), nil},
		"collection_size_at_once":    {errFirst, canceled("None", "ItemCollectionSizeLimitExceeded", "None"), nil},
		"unknown_code_at_once":       {errFirst, canceled("None", "SomethingNew", "None"), nil},
		"reasons_that_do_not_fit":    {errFirst, canceled(failed), nil},
		"cancelled_without_a_reason": {errFirst, canceled("None", "None", "None"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := &script{answers: []error{c.answer}}
			err := dynamo.Commit(t.Context(), client, parts(c.first)...)
			require.Error(t, err)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			} else {
				require.NotErrorIs(t, err, errFirst)
				require.NotErrorIs(t, err, dynamo.ErrStale)
			}
			require.Len(t, client.sent, 1, "no retry")
		})
	}
}

func TestCommitHandsTheOldItem(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{"!": true, failed: false} {
		var got dynamo.Item
		part := dynamo.Put("t", dynamo.Item{}).If(dynamo.Expr{Text: "x"}).Means(func(old dynamo.Item) error { got = old; return errFirst })
		require.ErrorIs(t, dynamo.Commit(t.Context(), &script{answers: []error{canceled(code)}}, part), errFirst)
		require.Equal(t, want, got != nil)
	}
}

func TestCommitAsksForOldItems(t *testing.T) {
	t.Parallel()
	client := &script{}
	raw := types.TransactWriteItem{Update: &types.Update{TableName: aws.String("t")}}
	require.NoError(t, dynamo.Commit(t.Context(), client, append(parts(nil), dynamo.Raw(raw))...))
	require.Empty(t, raw.Update.ReturnValuesOnConditionCheckFailure, "the caller's action is not changed")
	items := client.sent[0].TransactItems
	const old = types.ReturnValuesOnConditionCheckFailureAllOld
	require.Equal(t, old, items[0].Put.ReturnValuesOnConditionCheckFailure)
	require.Equal(t, old, items[1].Delete.ReturnValuesOnConditionCheckFailure)
	require.Equal(t, old, items[2].ConditionCheck.ReturnValuesOnConditionCheckFailure)
	require.Equal(t, old, items[3].Update.ReturnValuesOnConditionCheckFailure)
}

func TestCommitResendsTheSameBytes(t *testing.T) {
	t.Parallel()
	throttled := &smithy.GenericAPIError{Code: "ThrottlingException"}
	synctest.Test(t, func(t *testing.T) {
		client := &script{answers: []error{
			canceled(failed, "TransactionConflict", "None"), // the conflict hides what else failed
			canceled("ThrottlingError", "None", "None"),
			canceled("None", "ProvisionedThroughputExceeded", "None"),
			throttled,
			&types.TransactionInProgressException{},
		}}
		require.NoError(t, dynamo.Commit(t.Context(), client, parts(errFirst)...))
		require.Len(t, client.sent, 6)
		for _, in := range client.sent {
			require.Same(t, client.sent[0], in, "same content, same token")
		}
		require.NotEmpty(t, aws.ToString(client.sent[0].ClientRequestToken))
	})
}

// stubborn conflicts for ever.
type stubborn struct {
	dynamo.Client
	sent int
}

func (s *stubborn) TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	s.sent++
	return nil, canceled("TransactionConflict", "None", "None")
}

func TestCommitEndsAsContention(t *testing.T) {
	t.Parallel()
	t.Run("at_the_deadline", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			client := &stubborn{}
			err := dynamo.Commit(ctx, client, parts(nil)...)
			require.ErrorIs(t, err, dynamo.ErrContention)
			require.LessOrEqual(t, time.Since(start), 3*time.Second)
			require.Greater(t, client.sent, 5)
		})
	})
	t.Run("after_ten_seconds_without_one", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			err := dynamo.Commit(context.Background(), &stubborn{}, parts(nil)...)
			require.ErrorIs(t, err, dynamo.ErrContention)
			require.LessOrEqual(t, time.Since(start), 10*time.Second)
			require.Greater(t, time.Since(start), 9*time.Second)
		})
	})
	t.Run("when_the_context_ends", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			start := time.Now()
			err := dynamo.Commit(ctx, &stubborn{}, parts(nil)...)
			require.ErrorIs(t, err, dynamo.ErrContention)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, time.Second, time.Since(start))
		})
	})
}

func TestCommitSaysWhenNobodyKnows(t *testing.T) {
	t.Parallel()
	response := func(status int, err error) error {
		return &awshttp.ResponseError{ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status}}, Err: err,
		}}
	}
	validation := response(400, &smithy.GenericAPIError{Code: "ValidationException"})
	for name, c := range map[string]struct {
		answer  error
		unknown bool
	}{
		"broken_connection": {errors.New("connection reset"), true},
		"context_ended":     {context.Canceled, true},
		"internal_error":    {response(500, &types.InternalServerError{}), true},
		"unavailable":       {response(503, &smithy.GenericAPIError{Code: "ServiceUnavailable"}), true},
		"refused":           {validation, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := dynamo.Commit(t.Context(), &script{answers: []error{c.answer}}, parts(nil)...)
			require.ErrorIs(t, err, c.answer)
			require.Equal(t, c.unknown, errors.Is(err, dynamo.ErrOutcomeUnknown))
		})
	}
}

func TestCommitTakesHundredActions(t *testing.T) {
	t.Parallel()
	many := make([]dynamo.Part, 101)
	for i := range many {
		many[i] = dynamo.Put("t", dynamo.Item{})
	}
	client := &script{}
	require.NoError(t, dynamo.Commit(t.Context(), client, many[:100]...))
	require.ErrorIs(t, dynamo.Commit(t.Context(), client, many...), dynamo.ErrTooManyActions)
	require.Len(t, client.sent, 1)
}

func TestPartsDoNotShareState(t *testing.T) {
	t.Parallel()
	update := dynamo.Update("t", dynamo.Item{}, dynamo.Expr{Text: "SET #a = :a", Names: map[string]string{"#a": "a"}})
	update.If(dynamo.Expr{Text: "#b = :b", Names: map[string]string{"#b": "b"}})
	client := &script{}
	require.NoError(t, dynamo.Commit(t.Context(), client, update))
	require.Nil(t, client.sent[0].TransactItems[0].Update.ConditionExpression)
	require.Equal(t, map[string]string{"#a": "a"}, client.sent[0].TransactItems[0].Update.ExpressionAttributeNames)
}

func TestAnd(t *testing.T) {
	t.Parallel()
	a := dynamo.Expr{Text: "#a = :a", Names: map[string]string{"#a": "a"}}
	b := dynamo.Expr{Text: "b = :b", Values: dynamo.Item{":b": &types.AttributeValueMemberN{Value: "1"}}}
	require.Equal(t, a, a.And(dynamo.Expr{}))
	require.Equal(t, a, dynamo.Expr{}.And(a))
	require.Equal(t, dynamo.Expr{Text: "(#a = :a) AND (b = :b)", Names: a.Names, Values: b.Values}, a.And(b))
}
