package faults_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

func TestThrottle(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 1)
	transport.Next(faults.Throttle{}, nil)
	_, err := client.GetItem(t.Context(), get("a"))
	var throttled *types.ProvisionedThroughputExceededException
	require.ErrorAs(t, err, &throttled)
	require.NotEmpty(t, throttled.ErrorMessage())
	requireStatus(t, err, http.StatusBadRequest)

	transport.Next(faults.Throttle{Account: true}, nil)
	_, err = client.GetItem(t.Context(), get("a"))
	var limited *types.ThrottlingException
	require.ErrorAs(t, err, &limited)
	require.NotEmpty(t, limited.ErrorMessage())
	requireStatus(t, err, http.StatusBadRequest)
	require.Empty(t, db.received())
}

func TestRandomThrottleHasBothCodes(t *testing.T) {
	t.Parallel()
	client, _, _ := setup(t, faults.Plan{Throttle: 1}, 1)
	codes := make(map[string]int)
	for range 40 {
		_, err := client.GetItem(t.Context(), get("a"))
		var failure smithy.APIError
		require.ErrorAs(t, err, &failure)
		codes[failure.ErrorCode()]++
	}
	require.Len(t, codes, 2)
	require.Positive(t, codes["ThrottlingException"])
	require.Positive(t, codes["ProvisionedThroughputExceededException"])
}

func TestInternal(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 1)
	transport.Next(faults.Internal{}, nil)
	_, err := client.PutItem(t.Context(), put("a"))
	var internal *types.InternalServerError
	require.ErrorAs(t, err, &internal)
	require.NotEmpty(t, internal.ErrorMessage())
	requireStatus(t, err, http.StatusInternalServerError)
	require.Empty(t, db.received())
}

func TestLostRequestAndLostReplyLookTheSame(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 1)
	transport.Next(faults.LoseRequest{}, nil)
	_, requestErr := client.PutItem(t.Context(), put("a"))
	require.ErrorIs(t, requestErr, io.ErrUnexpectedEOF)
	require.Empty(t, db.received())

	transport.Next(faults.LoseReply{}, nil)
	_, replyErr := client.PutItem(t.Context(), put("a"))
	require.ErrorIs(t, replyErr, io.ErrUnexpectedEOF)
	require.Len(t, db.received(), 1)

	var lost, unknown *smithyhttp.RequestSendError
	require.ErrorAs(t, requestErr, &lost)
	require.ErrorAs(t, replyErr, &unknown)
	require.Equal(t, lost.Error(), unknown.Error())
}

func TestLostReplyKeepsTheErrorOfAnEngineThatIsAway(t *testing.T) {
	t.Parallel()
	errAway := errors.New("engine is away")
	transport, err := faults.New(roundTripper(func(*http.Request) (*http.Response, error) { return nil, errAway }), faults.Plan{})
	require.NoError(t, err)
	transport.Next(faults.LoseReply{}, nil)
	_, err = newClient(transport, 1).PutItem(t.Context(), put("a"))
	require.ErrorIs(t, err, errAway)
}

// trackedBody remembers whether it was closed.
type trackedBody struct {
	io.Reader
	closed bool
}

func (b *trackedBody) Close() error { b.closed = true; return nil }

func TestLostReplyIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	content := strings.NewReader(strings.Repeat("x", 1<<16))
	body := &trackedBody{Reader: content}
	transport, err := faults.New(roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
	}), faults.Plan{})
	require.NoError(t, err)
	transport.Next(faults.LoseReply{}, nil)
	_, err = newClient(transport, 1).PutItem(t.Context(), put("a"))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Zero(t, content.Len())
	require.True(t, body.closed)
}

// TestSDKRepeats pins what callers rely on: which faults they never see, and that a repeated transaction has the same token.
func TestSDKRepeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault    faults.Fault
		executed int
	}{
		{faults.Throttle{}, 1},
		{faults.Throttle{Account: true}, 1},
		{faults.Internal{}, 1},
		{faults.LoseRequest{}, 1},
		{faults.LoseReply{}, 2},
	} {
		t.Run(c.fault.Kind(), func(t *testing.T) {
			t.Parallel()
			client, transport, db := setup(t, faults.Plan{}, 3)
			transport.Next(c.fault, nil)
			_, err := client.TransactWriteItems(t.Context(), transaction("a"))
			require.NoError(t, err)
			require.Equal(t, map[string]int{"TransactWriteItems": 2, c.fault.Kind(): 1}, transport.Counts())
			require.Len(t, db.received(), c.executed)
			var first, last struct{ ClientRequestToken string }
			db.decode(t, 0, &first)
			db.decode(t, c.executed-1, &last)
			require.NotEmpty(t, first.ClientRequestToken)
			require.Equal(t, first, last)
		})
	}
}

func TestSDKGivesUp(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{Throttle: 1}, 3)
	_, err := client.PutItem(t.Context(), put("a"))
	var failure smithy.APIError
	require.ErrorAs(t, err, &failure)
	require.Equal(t, map[string]int{"PutItem": 3, "Throttle": 3}, transport.Counts())
	require.Empty(t, db.received())
}

func requireStatus(t *testing.T, err error, status int) {
	t.Helper()
	var reply *smithyhttp.ResponseError
	require.ErrorAs(t, err, &reply)
	require.Equal(t, status, reply.HTTPStatusCode())
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
