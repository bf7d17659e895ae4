package cognitosync_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

const minimalLetter = `{"type":"CREATE_USER_RECORD","payload":{"sub":"s1","email":"s1@example.com"}}`

func TestDeadLetterBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	answer, err := w.deadLetters(t).Handle(t.Context(), batch(t,
		minimalLetter, "poison", `{"type":"DELETE_USER_RECORD","payload":{"sub":"s1"}}`, `{"type":"CREATE_USER_RECORD"}`, minimalLetter))
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m1"},{"itemIdentifier":"m2"},{"itemIdentifier":"m3"}]}`, string(answer))
	require.Equal(t, 1, w.accounts(t))
	user, err := w.users.Get(t.Context(), "s1")
	require.NoError(t, err)
	require.Empty(t, user.Email, "a message that does not say so does not verify an address")
}

func TestDeadLetterBatchWhileDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	answer, err := w.deadLetters(t).Handle(ctx, batch(t, minimalLetter))
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m0"}]}`, string(answer))
}

func TestBatchKeepsTheOrderOfAGroup(t *testing.T) {
	t.Parallel()
	var handled []string
	handle := cognitosync.Batch(func(_ context.Context, body json.RawMessage) error {
		handled = append(handled, string(body))
		if string(body) == "2" {
			return cognitosync.ErrBadEvent
		}
		return nil
	}, nil)
	answer, err := handle(t.Context(), json.RawMessage(`{"Records":[
		{"messageId":"a","body":"1","attributes":{"MessageGroupId":"g"}},
		{"messageId":"b","body":"2","attributes":{"MessageGroupId":"g"}},
		{"messageId":"c","body":"3","attributes":{"MessageGroupId":"g"}},
		{"messageId":"d","body":"4","attributes":{"MessageGroupId":"h"}}]}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"c"}]}`, string(answer))
	require.Equal(t, []string{"1", "2", "4"}, handled)
	_, err = handle(t.Context(), json.RawMessage(`{"detail":{}}`))
	require.ErrorIs(t, err, cognitosync.ErrBadEvent, "not a batch, so nothing may be taken for done")
}

func TestDrain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "other", Email: "taken@example.com", EmailVerified: true})
	require.NoError(t, err)
	w.queue.bodies = []string{
		minimalLetter, "poison",
		`{"type":"CREATE_USER_RECORD","payload":{"sub":"s2","email":"taken@example.com","emailVerified":true}}`,
		`{"type":"CREATE_USER_RECORD","payload":{"sub":"s3","email":"s3@example.com","emailVerified":true}}`,
	}
	report, err := w.deadLetters(t).Drain(t.Context(), w.queue, "url")
	require.NoError(t, err)
	require.Equal(t, cognitosync.DrainReport{Made: 2, Left: map[string]int{"invalid": 1, "address_taken": 1}}, report)
	require.Equal(t, map[int]bool{0: true, 3: true}, w.queue.deleted)
}

func TestDrainStopsAtAMessageThatComesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.queue.bodies = []string{"poison", minimalLetter}
	report, err := w.deadLetters(t).Drain(t.Context(), forgetful{w.queue}, "url")
	require.NoError(t, err)
	require.Equal(t, cognitosync.DrainReport{Made: 1, Left: map[string]int{"invalid": 1}}, report)
}

// forgetful is a queue whose visibility timeout is over at once.
type forgetful struct{ *queue }

func (f forgetful) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, options ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	f.mu.Lock()
	clear(f.hidden)
	f.mu.Unlock()
	return f.queue.ReceiveMessage(ctx, in, options...)
}

type mover struct {
	in *sqs.StartMessageMoveTaskInput
}

func (m *mover) StartMessageMoveTask(_ context.Context, in *sqs.StartMessageMoveTaskInput, _ ...func(*sqs.Options)) (*sqs.StartMessageMoveTaskOutput, error) {
	m.in = in
	return &sqs.StartMessageMoveTaskOutput{TaskHandle: aws.String("task")}, nil
}

func TestRedrive(t *testing.T) {
	t.Parallel()
	m := &mover{}
	task, err := cognitosync.Redrive(t.Context(), m, "arn:aws:sqs:eu-west-1:1:dead", 10)
	require.NoError(t, err)
	require.Equal(t, "task", task)
	require.EqualValues(t, 10, *m.in.MaxNumberOfMessagesPerSecond)
	_, err = cognitosync.Redrive(t.Context(), m, "arn:aws:sqs:eu-west-1:1:dead", 501)
	require.Error(t, err)
}
