package outbox_test

import (
	"context"
	"fmt"
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

// TestHeldAggregatePassesOver has an aggregate that is held with more packs than a page, and others whose ids continue its own with a #:
// passing over its packs must not pass over theirs.
func TestHeldAggregatePassesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, healthy := newWorld(t), false
		w.writer = newWriter(t, outbox.WriterConfig{Shards: 1})
		w.together(func() {
			w.commitOfType("order", "poison", 1)
			for range 150 {
				w.commit("order", 1)
			}
			for _, id := range []string{"order#5", "order#", "order#%", "order%23", "order#0000000000000000200"} {
				w.commit(id, 1)
			}
		})
		recorder := &outboxtest.Recorder{Answer: cured(&healthy)}
		relay, err := outbox.NewRelay(w.client, recorder, outbox.RelayConfig{
			Table: outbox.Table{Name: tableName}, Shards: 1, Publishing: outbox.Publishing{DefaultPolicy: outbox.Hold},
		})
		require.NoError(t, err)
		require.NoError(t, relay.RunOnce(t.Context()))
		require.Len(t, recorder.Events(), 5, "all but the one that is held")
		admin, err := outbox.NewAdmin(w.client, outbox.AdminConfig{Table: outbox.Table{Name: tableName}, Shards: 1})
		require.NoError(t, err)
		require.Len(t, collect(t, admin.Waiting(t.Context(), "order")), 151)
		require.Len(t, collect(t, admin.Waiting(t.Context(), "")), 151)
	})
}

// TestPublisherPanics has a publisher that panics over one event. It must not bring the process down, nor hold up others.
func TestPublisherPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commitOfType("user-00", "bomb", 1)
		for _, id := range users(20)[1:] {
			w.commit(id, 2)
		}
		recorder := &outboxtest.Recorder{Before: func(_ context.Context, entries []outbox.Entry) error {
			for _, e := range entries {
				if e.Event.Type == "bomb" {
					panic("no such type")
				}
			}
			return nil
		}}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{Publishing: outbox.Publishing{MaxAttempts: 4}})
		stop := w.run(relay)
		for range 60 {
			w.commit("user-01", 1) // calls that come through show that it is the bomb's own fault
			<-time.After(time.Second)
		}
		require.NoError(t, stop())
		require.Len(t, outboxtest.Compare(w.committed, recorder.Events()).Lost, 1)
		require.EqualValues(t, 1, relay.Stats().DeadLettered)
		require.NotZero(t, relay.Stats().Failures["Panic"])
	})
}

// TestClockThatWasAhead has a pack whose last failure was stored by a relay with a clock a year ahead.
func TestClockThatWasAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		w.commit("user-1", 1)
		pack := w.waiting()[0]
		_, err := w.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: aws.String(tableName), Key: item{"PK": pack["PK"], "SK": pack["SK"]},
			UpdateExpression: aws.String("SET nextAttemptAt = :next"),
			ExpressionAttributeValues: item{":next": &types.AttributeValueMemberS{
				Value: time.Now().AddDate(1, 0, 0).UTC().Format("2006-01-02T15:04:05.000Z"),
			}},
		})
		require.NoError(t, err)
		require.NoError(t, w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		w.requireAllPublished(recorder.Events(), 0)
	})
}

// TestForeignItemBesidePacks has an item that is no pack behind one that waits: neither its age nor its redrive gets lost.
func TestForeignItemBesidePacks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, healthy := newWorld(t), false
		for _, partition := range []string{"OUTBOX#0", "OUTBOX#1", "OUTBOX#2", "OUTBOX#3", "OUTBOX#DEAD#0"} {
			for _, sort := range []string{"!", "~"} {
				_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item{
					"PK": &types.AttributeValueMemberS{Value: partition}, "SK": &types.AttributeValueMemberS{Value: sort},
				}})
				require.NoError(t, err)
			}
		}
		w.commitOfType("user-1", "poison", 1)
		w.commitOfType("user-2", "poison", 1)
		require.False(t, total(t, w.admin()).Oldest.IsZero())

		hold := outbox.Publishing{DefaultPolicy: outbox.Hold}
		recorder := &outboxtest.Recorder{Answer: cured(&healthy)}
		require.NoError(t, w.relay(w.client, recorder, outbox.RelayConfig{Publishing: hold}).RunOnce(t.Context()))
		redriven, err := w.admin().RedriveAll(t.Context())
		require.Equal(t, 2, redriven.Released)
		require.ErrorContains(t, err, "malformed", "it is told, after the rest was done")
	})
}

// noReads is a client that may not read shards.
type noReads struct{ outbox.Client }

func (c noReads) Query(ctx context.Context, in *dynamodb.QueryInput, opts ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if partition := plainValue(in.ExpressionAttributeValues[":pk"]); partition != "OUTBOX#RELAYS" {
		return nil, errNoRoute
	}
	return c.Client.Query(ctx, in, opts...)
}

// noDeletes is a client that may not delete packs.
type noDeletes struct{ outbox.Client }

func (c noDeletes) BatchWriteItem(
	context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options),
) (*dynamodb.BatchWriteItemOutput, error) {
	return nil, errNoRoute
}

func TestRunOnceGivesUp(t *testing.T) {
	t.Parallel()
	for name, client := range map[string]func(outbox.Client) outbox.Client{
		"unreadable":  func(c outbox.Client) outbox.Client { return noReads{c} },
		"undeletable": func(c outbox.Client) outbox.Client { return noDeletes{c} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, recorder := newWorld(t), &outboxtest.Recorder{}
				w.commit("user-1", 1)
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				require.ErrorIs(t, w.relay(client(w.client), recorder, outbox.RelayConfig{}).RunOnce(ctx), errNoRoute)
			})
		})
	}
}

// TestEmptiedLease has a lease from which somebody has removed the owner and the epoch.
func TestEmptiedLease(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for shard := range testShards {
			_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item{
				"PK": &types.AttributeValueMemberS{Value: "OUTBOX#RELAYS"},
				"SK": &types.AttributeValueMemberS{Value: fmt.Sprintf("SHARD#%d", shard)},
			}})
			require.NoError(t, err)
		}
		w.commit("user-1", 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		require.NoError(t, w.relay(w.client, recorder, outbox.RelayConfig{}).RunOnce(ctx))
		w.requireAllPublished(recorder.Events(), 0)
	})
}
