package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
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

// TestRunsGoOn ends a run at its second page, as want of time would, and hands its token to a second one, which ends with every user seen.
func TestRunsGoOn(t *testing.T) {
	t.Parallel()
	const users = 130 // three pages
	ctx, end := context.WithCancel(t.Context())
	var lists atomic.Int64
	pool := cognitotest.New(cognitotest.Options{Intercept: func(call cognitotest.Call) string {
		if call.Op == "ListUsers" && lists.Add(1) == 2 {
			end()
		}
		return ""
	}})
	client := memdynamo.New(memdynamo.Options{}).Client()
	_, err := client.CreateTable(t.Context(), userstore.TableDefinition("users"))
	require.NoError(t, err)
	store, err := userstore.New(client, userstore.Config{Table: "users"})
	require.NoError(t, err)
	for i := range users {
		id := fmt.Sprintf("user-%03d", i)
		pool.Put(cognitotest.User{Sub: id, Email: id + "@example.com", EmailVerified: true})
		_, err := store.Create(t.Context(), userstore.NewUser{UserID: id, Email: id + "@example.com", EmailVerified: true})
		require.NoError(t, err)
	}
	reconciler, err := cognitosync.NewReconciler(pool.Client(), store, cognitosync.ReconcileConfig{
		UserPoolID: cognitotest.PoolID, CallsPerSecond: 100,
	})
	require.NoError(t, err)
	queue := &messages{}
	run := handler(reconciler, chain{queue: queue, url: "https://queue"}, slog.New(slog.DiscardHandler))

	answer, err := run(ctx, []byte(`{"source":"aws.events"}`))
	require.NoError(t, err)
	assert.Contains(t, string(answer), `"complete":false`)
	require.Len(t, queue.bodies, 1)
	event, err := json.Marshal(map[string]any{"Records": []any{map[string]string{"body": queue.bodies[0]}}})
	require.NoError(t, err)
	answer, err = run(t.Context(), event)
	require.NoError(t, err)
	var report cognitosync.Report
	require.NoError(t, json.Unmarshal(answer, &report))
	assert.True(t, report.Complete)
	assert.EqualValues(t, users, report.PoolUsers)
	assert.Empty(t, report.Findings)
	assert.Len(t, queue.bodies, 1, "nothing is left to go on with")
}
