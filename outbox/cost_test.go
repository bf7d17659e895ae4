package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// TestCostPerEvent measures what an event of usual size costs under load, on the default configuration.
func TestCostPerEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const aggregates, each = 120, 10
		db := memdynamo.New(memdynamo.Options{})
		client := db.Client()
		createTable(t, client, "PK", "SK")
		writer := newWriter(t, outbox.WriterConfig{})
		for n := range aggregates {
			packs := make([]types.TransactWriteItem, each)
			for i := range packs {
				e := anEvent(fmt.Sprintf("5f2c8b9e-0000-4000-8000-%012d", n), int64(i)+1)
				e.Data = json.RawMessage(`{"emailId":"5f2c8b9e-0000-4000-8000-000000000000","email":"somebody.with.a.name@example.com"}`)
				var err error
				packs[i], err = writer.TransactItem(e)
				require.NoError(t, err)
			}
			_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: packs})
			require.NoError(t, err)
		}
		const events = aggregates * each
		written := db.Usage()
		require.EqualValues(t, 2*events, written.WriteUnits)

		recorder := &outboxtest.Recorder{Before: func(context.Context, []outbox.Entry) error {
			<-time.After(5 * time.Millisecond)
			return nil
		}}
		relay, err := outbox.NewRelay(client, recorder, outbox.RelayConfig{Table: outbox.Table{Name: tableName}})
		require.NoError(t, err)
		require.NoError(t, relay.RunOnce(t.Context()))
		require.Len(t, recorder.Events(), events)

		usage := db.Usage()
		leases := 16*2 + 2 // taken and given back, and the relay's own item
		require.LessOrEqual(t, usage.WriteUnits-float64(leases), 3.0*events, "write units per event")
		require.LessOrEqual(t, float64(len(recorder.Calls())), 0.11*events, "calls of the publisher per event")
		require.LessOrEqual(t, usage.ReadUnits, 0.5*events, "read units per event")
		t.Logf("per event: %.2f write units, %.2f read units, %.3f calls", (usage.WriteUnits-float64(leases))/events,
			usage.ReadUnits/events, float64(len(recorder.Calls()))/events)
	})
}

// TestIdleCost measures what a relay with nothing to do costs, on the default configuration.
func TestIdleCost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := memdynamo.New(memdynamo.Options{})
		client := db.Client()
		createTable(t, client, "PK", "SK")
		relay, err := outbox.NewRelay(client, &outboxtest.Recorder{}, outbox.RelayConfig{Table: outbox.Table{Name: tableName}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- relay.Run(ctx) }()
		<-time.After(10 * time.Second) // polls are at their slowest
		db.ResetUsage()
		<-time.After(time.Minute)
		usage, stats := db.Usage(), relay.Stats()
		cancel()
		require.NoError(t, <-ended)
		const seconds = 60
		require.LessOrEqual(t, usage.ReadUnits/seconds, 8.0, "read units per second")
		require.LessOrEqual(t, usage.WriteUnits/seconds, 0.6, "write units per second")
		t.Logf("per second: %.2f read units, %.2f write units", usage.ReadUnits/seconds, usage.WriteUnits/seconds)
		require.WithinDuration(t, time.Now(), stats.LastSweep, 5*time.Second)
		require.Zero(t, relay.Stats().LastSweep, "it holds nothing now")
	})
}

// TestWake shows that a relay publishes at once what was committed, when it is told.
func TestWake(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		w.writer = newWriter(t, outbox.WriterConfig{Shards: testShards, Wake: relay.Wake})
		stop := w.run(relay)
		<-time.After(time.Minute) // polls are at their slowest
		for n := range 10 {
			w.commit("user-1", 1)
			w.writer.Committed("user-1")
			<-time.After(10 * time.Millisecond)
			require.Len(t, recorder.Events(), n+1)
		}
		<-time.After(time.Minute)
		w.commit("user-2", 1)
		relay.Wake()
		<-time.After(10 * time.Millisecond)
		require.Len(t, recorder.Events(), 11)
		require.NoError(t, stop())
	})
}

// TestOneUserDoesNotStarveOthers has a user with more packs than a relay holds in memory, all behind one that fails or is held.
func TestOneUserDoesNotStarveOthers(t *testing.T) {
	t.Parallel()
	for _, answer := range []outbox.Result{{Outcome: outbox.Retry, Code: "InternalFailure"}, {Outcome: outbox.Rejected, Code: "InvalidArgument"}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			recorder := &outboxtest.Recorder{Answer: func(e outbox.Entry) outbox.Result {
				if e.GroupID == "user" {
					return answer
				}
				return outbox.Result{Outcome: outbox.Published}
			}}
			w.together(func() {
				for range 700 {
					w.commit("user", 1)
				}
			})
			relay := w.relay(w.client, recorder, outbox.RelayConfig{Publishing: outbox.Publishing{DefaultPolicy: outbox.Hold}})
			stop := w.run(relay)
			<-time.After(10 * time.Second)
			w.together(func() {
				for _, id := range users(40) { // before and after it in the order of keys
					w.commit(id, 1)
					w.commit("a"+id, 1)
				}
			})
			<-time.After(5 * time.Second)
			require.Len(t, recorder.Events(), 80)
			w.db.ResetUsage()
			<-time.After(time.Minute)
			// A sweep of all its packs would cost some 70 units every 2 s; a page of them is read, and the rest passed over.
			require.Less(t, w.db.Usage().ReadUnits, 60*10.0)
			require.NoError(t, stop())
		})
	}
}

// TestDeletesAreRepeatedUntilDone has a table that leaves most of the deletions undone at first.
func TestDeletesAreRepeatedUntilDone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		lazy := &lazyDeleter{Client: w.client}
		w.together(func() {
			for range 3 {
				for _, id := range users(30) {
					w.commit(id, 1)
				}
			}
		})
		require.NoError(t, w.relay(lazy, recorder, outbox.RelayConfig{}).RunOnce(t.Context()))
		require.Greater(t, lazy.calls.Load(), int64(8))
		w.requireAllPublished(recorder.Events(), 0)
	})
}

// lazyDeleter is a client whose BatchWriteItem does half of the work, and now and then none.
type lazyDeleter struct {
	outbox.Client
	calls atomic.Int64
}

func (c *lazyDeleter) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.BatchWriteItemOutput, error) {
	if c.calls.Add(1)%3 == 0 {
		return nil, &types.ProvisionedThroughputExceededException{Message: aws.String("slow down")}
	}
	requests := in.RequestItems[tableName]
	half := (len(requests) + 1) / 2
	out, err := c.Client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{tableName: requests[:half]},
	}, opts...)
	if err == nil && half < len(requests) {
		out.UnprocessedItems = map[string][]types.WriteRequest{tableName: requests[half:]}
	}
	return out, err
}
