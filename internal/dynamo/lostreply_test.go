package dynamo_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
)

// reply is what one try of the SDK meets: an answer of DynamoDB, or no answer when status is 0.
type reply struct {
	status int
	body   string
}

var (
	committed = reply{http.StatusOK, `{}`}
	lost      = reply{}
	internal  = reply{http.StatusInternalServerError, `{"__type":"InternalServerError"}`}
	cut       = reply{http.StatusOK, `{"Consu`}
	throttled = reply{http.StatusBadRequest, `{"__type":"ThrottlingException"}`}
	running   = reply{http.StatusBadRequest, `{"__type":"TransactionInProgressException"}`}
	denied    = reply{http.StatusBadRequest, `{"__type":"AccessDeniedException"}`}
	conflict  = reply{http.StatusBadRequest, `{"__type":"TransactionCanceledException","CancellationReasons":
		[{"Code":"TransactionConflict"},{"Code":"None"},{"Code":"None"}]}`}
	refusal = reply{http.StatusBadRequest, `{"__type":"TransactionCanceledException","CancellationReasons":
		[{"Code":"ConditionalCheckFailed"},{"Code":"None"},{"Code":"None"}]}`}
)

// wire answers the tries of an SDK client with its replies in turn, and with the last of them for ever.
type wire struct{ replies []reply }

func (w *wire) Do(*http.Request) (*http.Response, error) {
	r := w.replies[0]
	if len(w.replies) > 1 {
		w.replies = w.replies[1:]
	}
	if r.status == 0 {
		return nil, errors.New("connection reset by peer")
	}
	header := http.Header{"Content-Type": {"application/x-amz-json-1.0"}}
	return &http.Response{StatusCode: r.status, Header: header, Body: io.NopCloser(strings.NewReader(r.body))}, nil
}

// sdk is a client of the SDK that repeats each call as the SDK does, without its pauses and its quota of repeats: the deadline of
// a test then falls into a pause of Commit.
func sdk(replies ...reply) *dynamodb.Client {
	keys := func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "secret"}, nil
	}
	repeat := retry.NewStandard(func(o *retry.StandardOptions) {
		o.RateLimiter = ratelimit.None
		o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
	})
	return dynamodb.New(dynamodb.Options{
		Region: "eu-central-1", HTTPClient: &wire{replies}, Credentials: aws.CredentialsProviderFunc(keys),
		BaseEndpoint: aws.String("https://dynamodb.invalid"), Retryer: repeat,
	})
}

func TestCommitKnowsOfRepliesLostInsideTheSDK(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies []reply
		want    error
	}{
		"conflicts_alone":               {[]reply{conflict}, dynamo.ErrContention},
		"throttling_alone":              {[]reply{throttled}, dynamo.ErrContention},
		"lost_then_conflicts":           {[]reply{lost, conflict}, dynamo.ErrOutcomeUnknown},
		"lost_then_throttling":          {[]reply{lost, throttled}, dynamo.ErrOutcomeUnknown},
		"internal_error_then_conflicts": {[]reply{internal, conflict}, dynamo.ErrOutcomeUnknown},
		"half_a_reply_then_conflicts":   {[]reply{cut, conflict}, dynamo.ErrOutcomeUnknown},
		"lost_in_a_later_call":          {[]reply{conflict, lost, conflict}, dynamo.ErrOutcomeUnknown},
		"running_to_the_end":            {[]reply{running}, dynamo.ErrOutcomeUnknown},
		"lost_then_denied":              {[]reply{lost, denied}, dynamo.ErrOutcomeUnknown},
		"lost_then_refused":             {[]reply{lost, conflict, refusal}, errFirst},
		"lost_then_committed":           {[]reply{lost, conflict, committed}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				err := dynamo.Commit(ctx, sdk(c.replies...), parts(errFirst)...)
				require.ErrorIs(t, err, c.want)
				for _, other := range []error{dynamo.ErrContention, dynamo.ErrOutcomeUnknown} {
					require.Equal(t, other == c.want, errors.Is(err, other), "%v", err)
				}
			})
		})
	}
	t.Run("nothing_was_sent", func(t *testing.T) {
		t.Parallel()
		missing := errors.New("no credentials")
		none := func(o *dynamodb.Options) {
			o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, missing })
		}
		err := dynamo.Commit(t.Context(), dynamodb.New(sdk(committed).Options(), none), parts(nil)...)
		require.ErrorIs(t, err, missing)
		require.NotErrorIs(t, err, dynamo.ErrOutcomeUnknown)

		ended, cancel := context.WithCancel(t.Context())
		cancel()
		err = dynamo.Commit(ended, sdk(committed), parts(nil)...)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, dynamo.ErrOutcomeUnknown)
		require.NotErrorIs(t, err, dynamo.ErrContention)
	})
	for name, c := range map[string]struct {
		first reply
		want  error
	}{"throttling": {throttled, dynamo.ErrContention}, "no_reply": {lost, dynamo.ErrOutcomeUnknown}} {
		t.Run("ended_between_the_tries_of_the_SDK_after_"+name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			ends := func(o *dynamodb.Options) {
				o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
					o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { cancel(); return 0, nil })
				})
			}
			err := dynamo.Commit(ctx, dynamodb.New(sdk(c.first).Options(), ends), parts(nil)...)
			require.ErrorIs(t, err, c.want)
			require.ErrorIs(t, err, context.Canceled)
		})
	}
	t.Run("denied_alone", func(t *testing.T) {
		t.Parallel()
		require.NotErrorIs(t, dynamo.Commit(t.Context(), sdk(denied), parts(nil)...), dynamo.ErrOutcomeUnknown)
	})
}
