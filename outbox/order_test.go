package outbox_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// tornReader is a client whose Query now and then misses a pack that has a later one of the same aggregate behind it, once for each pack: it
// passed the place before the pack was committed. Query may do so, it is only read-committed.
type tornReader struct {
	outbox.Client
	mu     sync.Mutex
	missed map[string]bool
}

func (c *tornReader) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := c.Client.Query(ctx, in, opts...)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var kept []map[string]types.AttributeValue
	for i, it := range out.Items {
		key := plainValue(it["SK"]).(string)
		last := i+1 == len(out.Items) || aggregateOf(plainValue(out.Items[i+1]["SK"]).(string)) != aggregateOf(key)
		if last || c.missed[key] {
			kept = append(kept, it)
		}
		c.missed[key] = true
	}
	out.Items = kept
	return out, nil
}

func aggregateOf(sortKey string) string {
	return sortKey[:max(strings.LastIndex(sortKey, "#"), 0)]
}

func TestOrderOnTornReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		torn := &tornReader{Client: w.client, missed: make(map[string]bool)}
		for range 3 { // a new relay each time, which knows nothing of what was published
			for range 4 {
				for i, id := range users(9) {
					w.commit(id, 1+i%2)
				}
			}
			require.NoError(t, w.relay(torn, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		}
		w.requireAllPublished(recorder.Events(), 0)
	})
}

// TestOnePerAggregateInFlight has a publisher that watches that no two events of an aggregate are on their way at the same time.
func TestOnePerAggregateInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for range 6 {
			for _, id := range users(25) {
				w.commit(id, 2)
			}
		}
		var mu sync.Mutex
		flying, most := make(map[string]bool), 0
		recorder := &outboxtest.Recorder{}
		recorder.Before = func(_ context.Context, entries []outbox.Entry) error {
			mu.Lock()
			for _, e := range entries {
				require.False(t, flying[e.GroupID], "two events of one aggregate in flight")
				flying[e.GroupID] = true
			}
			most = max(most, len(flying))
			mu.Unlock()
			<-time.After(5 * time.Millisecond)
			return nil
		}
		recorder.After = func(_ context.Context, entries []outbox.Entry) error {
			mu.Lock()
			defer mu.Unlock()
			for _, e := range entries {
				delete(flying, e.GroupID)
			}
			return nil
		}
		require.NoError(t, w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		w.requireAllPublished(recorder.Events(), 0)
		require.Greater(t, most, 10, "several calls at a time")
	})
}

// TestNumbersFromAClock has aggregates without a counter of their own: their numbers grow, with gaps.
func TestNumbersFromAClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		for range 5 {
			for _, id := range users(5) {
				w.next[id] = time.Now().UnixMicro()
				w.commit(id, 1)
				<-time.After(time.Second)
			}
			require.NoError(t, relay.RunOnce(t.Context()))
		}
		w.requireAllPublished(recorder.Events(), 0)
	})
}

func TestAbortedTransactionPublishesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		pack, err := w.writer.TransactItem(anEvent("user-1", 1))
		require.NoError(t, err)
		never := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName:           aws.String(tableName),
			Key:                 item{"PK": &types.AttributeValueMemberS{Value: "a"}, "SK": &types.AttributeValueMemberS{Value: "b"}},
			ConditionExpression: aws.String("attribute_exists(PK)"),
		}}
		_, err = w.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{
			TransactItems: []types.TransactWriteItem{pack, never},
		})
		require.Error(t, err)
		require.NoError(t, w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		require.Empty(t, recorder.Events())
	})
}

// TestSeqUsedTwice shows that a pack is not written over: its events would be lost.
func TestSeqUsedTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.commit("user-1", 1)
	w.next["user-1"] = 0
	pack, err := w.writer.TransactItem(anEvent("user-1", 1))
	require.NoError(t, err)
	_, err = w.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{pack}})
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
	require.Equal(t, "ConditionalCheckFailed", *cancelled.CancellationReasons[0].Code)
}
