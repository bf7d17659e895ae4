package function

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/stretchr/testify/require"
)

func TestRecordsNameTheInvocation(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := newLogger(&log).With("operation", "x")
	logger.InfoContext(t.Context(), "before")
	ctx := lambdacontext.NewContext(t.Context(), &lambdacontext.LambdaContext{AwsRequestID: "id-1"})
	handler := Handler(func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
		logger.InfoContext(ctx, "in")
		return event, nil
	})
	_, err := handler.Invoke(ctx, []byte(`{}`))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	require.Len(t, lines, 2)
	require.NotContains(t, string(lines[0]), "awsRequestId")
	require.Contains(t, string(lines[1]), `"operation":"x","awsRequestId":"id-1"`)
}
