package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const (
	// callTime is injected into every request to DynamoDB and every call of the publisher.
	callTime = 5 * time.Millisecond
	drained  = 10_000 // events
	accounts = 1_000
	// baselineEvents is how many the one-by-one poller gets: with more it takes minutes.
	baselineEvents = 500
)

// BenchmarkDrain empties an outbox of 10,000 events of 1,000 accounts with 1, 4 and 16 relays, and one of 500 events with a
// one-by-one poller, with 5 ms for each call. It reports events/s, requests to DynamoDB and calls of the publisher per event,
// and write units per event beyond the business transaction.
func BenchmarkDrain(b *testing.B) {
	b.Run("one_by_one", func(b *testing.B) {
		for range b.N {
			drain(b, baselineEvents, func(ctx context.Context, client *dynamodb.Client, bus *bus) {
				require.NoError(b, oneByOne(ctx, client, bus))
			})
		}
	})
	for _, relays := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("relays=%d", relays), func(b *testing.B) {
			for range b.N {
				drain(b, drained, func(ctx context.Context, client *dynamodb.Client, bus *bus) {
					runRelays(ctx, b, relays, client, bus, drained)
				})
			}
		})
	}
}

// bus is a publisher that takes its time and counts.
type bus struct {
	calls, events atomic.Int64
	all           chan struct{} // closed once want events have come
	want          int64
}

func (p *bus) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	timer := time.NewTimer(callTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p.calls.Add(1)
	results := make([]outbox.Result, len(entries))
	for i := range results {
		results[i].Outcome = outbox.Published
	}
	if n := p.events.Add(int64(len(entries))); n >= p.want && n-int64(len(entries)) < p.want {
		close(p.all)
	}
	return results, nil
}

// drain fills an outbox, lets work empty it, and reports.
func drain(b *testing.B, events int, work func(context.Context, *dynamodb.Client, *bus)) {
	b.StopTimer()
	db := memdynamo.New(memdynamo.Options{})
	_, err := db.Client().CreateTable(b.Context(), userstore.TableDefinition(table))
	require.NoError(b, err)
	fill(b, db.Client(), events)
	transport, err := faults.New(db.Transport(), faults.Plan{Delay: func(string) time.Duration { return callTime }})
	require.NoError(b, err)
	client := db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: transport} })
	p := &bus{all: make(chan struct{}), want: int64(events)}
	db.ResetUsage()
	b.StartTimer()
	start := time.Now()
	work(b.Context(), client, p)
	elapsed := time.Since(start)
	b.StopTimer()
	require.EqualValues(b, events, p.events.Load())
	usage := db.Usage()
	requests := 0
	for _, n := range usage.Requests {
		requests += int(n)
	}
	b.ReportMetric(float64(events)/elapsed.Seconds(), "events/s")
	b.ReportMetric(float64(requests)/float64(events), "requests/event")
	b.ReportMetric(float64(p.calls.Load())/float64(events), "calls/event")
	b.ReportMetric(usage.WriteUnits/float64(events), "WCU/event")
	b.StartTimer()
}

// fill writes packs of one event as transactions of the business would.
func fill(b *testing.B, client *dynamodb.Client, events int) {
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: outbox.Table{Name: table}})
	require.NoError(b, err)
	users := min(accounts, events/10)
	var actions []types.TransactWriteItem
	for i := range events {
		action, err := writer.TransactItem(outbox.Event{
			ID: uuid.NewString(), Type: "user.updated", AggregateID: user(i % users), Seq: int64(i/users) + 1, Time: time.Now(),
			Data: json.RawMessage(`{"changedFields":["firstName"]}`),
		})
		require.NoError(b, err)
		if actions = append(actions, action); len(actions) == 100 || i == events-1 {
			_, err := client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: actions})
			require.NoError(b, err)
			actions = nil
		}
	}
}

// runRelays runs relays until all events are published, and until they have cleaned up.
func runRelays(ctx context.Context, b *testing.B, n int, client *dynamodb.Client, p *bus, events int) {
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	for range n {
		relay, err := outbox.NewRelay(client, p, outbox.RelayConfig{Table: outbox.Table{Name: table}})
		require.NoError(b, err)
		running.Go(func() {
			if err := relay.Run(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	<-p.all
	stop()
	running.Wait()
	b.Logf("%d relays, %d events, %d MiB in use", n, events, heap()>>20)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// oneByOne is the poller that most code has: read a page, publish an event, delete it, and again.
func oneByOne(ctx context.Context, client *dynamodb.Client, p *bus) error {
	for {
		page, err := client.Scan(ctx, &dynamodb.ScanInput{
			TableName: aws.String(table), Limit: aws.Int32(100), FilterExpression: aws.String("begins_with(PK, :outbox)"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":outbox": &types.AttributeValueMemberS{Value: "OUTBOX#"}},
		})
		if err != nil || len(page.Items) == 0 {
			return err
		}
		for _, item := range page.Items {
			if _, err := p.Publish(ctx, make([]outbox.Entry, 1)); err != nil {
				return err
			}
			key := map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]}
			if _, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key}); err != nil {
				return err
			}
		}
	}
}
