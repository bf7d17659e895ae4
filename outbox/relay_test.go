package outbox_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

func TestRunOnceDrains(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for round := range 5 {
			for _, id := range users(20) {
				w.commit(id, 1+round%3)
			}
		}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		require.NoError(t, relay.RunOnce(t.Context()))
		w.requireAllPublished(recorder.Events(), 0)
		require.Empty(t, w.relays(), "relays left behind")
		stats := relay.Stats()
		require.EqualValues(t, len(w.committed), stats.Published)
		require.EqualValues(t, 100, stats.Deleted)
		t.Log(recorder.Calls(), w.db.Usage())
	})
}

func TestRunPublishesWhatComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		stop := w.run(relay)
		for range 30 {
			for _, id := range users(7) {
				w.commit(id, 1)
			}
			<-time.After(time.Second)
		}
		require.NoError(t, stop())
		w.requireAllPublished(recorder.Events(), 0)
	})
}

// failOnce is a client that cannot read a shard's second page, once.
type failOnce struct {
	outbox.Client
	failed bool
}

func (c *failOnce) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if _, second := in.ExpressionAttributeValues[":after"]; second && !c.failed {
		c.failed = true
		return nil, errNoRoute
	}
	return c.Client.Query(ctx, in, opts...)
}

// TestRunOnceAfterAFailedRead has one user with more than is held in memory. The read after its first page fails: what the page left behind must
// not be taken for done.
func TestRunOnceAfterAFailedRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		w.together(func() {
			for range 150 {
				w.commit("user-1", 1)
			}
		})
		client := &failOnce{Client: w.client}
		require.NoError(t, w.relay(client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		require.True(t, client.failed)
		w.requireAllPublished(recorder.Events(), 0)
	})
}
