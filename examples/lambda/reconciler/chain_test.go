package main

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
)

func TestTokenOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ event, want, err string }{
		"schedule":      {`{"version":"0","source":"aws.events","detail":{}}`, "", ""},
		"by_hand":       {`{"token":"t1"}`, "t1", ""},
		"message":       {`{"Records":[{"body":"{\"token\":\"t2\"}"}]}`, "t2", ""},
		"empty_message": {`{"Records":[{"body":"{}"}]}`, "", "no token"},
		"bad_message":   {`{"Records":[{"body":"t2"}]}`, "", "no token"},
		"two_messages":  {`{"Records":[{"body":"{}"},{"body":"{}"}]}`, "", "BatchSize"},
		"no_json":       {`nonsense`, "", "not a JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, err := tokenOf([]byte(test.event))
			assert.Equal(t, test.want, token)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, test.err)
			}
		})
	}
}

// messages is a queue that keeps what it takes, or refuses it.
type messages struct {
	bodies []string
	err    error
}

func (m *messages) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	m.bodies = append(m.bodies, *in.MessageBody)
	return &sqs.SendMessageOutput{}, m.err
}

// TestChain hands each token to the next run, until one is complete.
func TestChain(t *testing.T) {
	t.Parallel()
	queue := &messages{}
	c := chain{queue: queue, url: "https://queue"}
	require.NoError(t, c.goOn(t.Context(), "", &cognitosync.Report{Token: "t1"}))
	require.Len(t, queue.bodies, 1)
	body, err := json.Marshal(queue.bodies[0])
	require.NoError(t, err)
	token, err := tokenOf([]byte(`{"Records":[{"body":` + string(body) + `}]}`))
	require.NoError(t, err)
	assert.Equal(t, "t1", token)

	require.ErrorIs(t, c.goOn(t.Context(), "t1", &cognitosync.Report{Token: "t1"}), errNoProgress)
	require.NoError(t, c.goOn(t.Context(), "t1", &cognitosync.Report{Complete: true}))
	require.NoError(t, chain{queue: queue}.goOn(t.Context(), "", &cognitosync.Report{Token: "t1"}), "without a queue the run just ends")
	assert.Len(t, queue.bodies, 1)

	queue.err = errors.New("refused")
	require.ErrorIs(t, c.goOn(t.Context(), "", &cognitosync.Report{Token: "t1"}), queue.err)
}
