package suite_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
	"github.com/usercore-go/usercore/outbox/outboxtest"
	"github.com/usercore-go/usercore/ratelimit"
)

// standaloneFaults are what the tests of the packages that stand alone meet. No reply of a limiter's write may be lost, for then it admits less.
func standaloneFaults() faults.Plan {
	return faults.Plan{Seed: 1, Throttle: 0.05, Conflict: 0.05, Internal: 0.05}
}

// TestLimitersAdmitExactly: 8 limiters with 4 callers each ask for more than the burst of 50.
func TestLimitersAdmitExactly(t *testing.T) {
	t.Parallel()
	const burst = 50
	tuning := ratelimit.Tuning{Timeout: time.Minute}
	for name, build := range map[string]func(w *suite.World) (ratelimit.Limiter, error){
		"token_bucket": func(w *suite.World) (ratelimit.Limiter, error) {
			return ratelimit.NewTokenBucket(w.Client, ratelimit.BucketConfig{
				Table: ratelimit.Table{Name: w.Config.Table}, Rate: 1, Per: time.Hour, Burst: burst, Now: w.Clock.Now, Tuning: tuning,
			})
		},
		"sliding_window": func(w *suite.World) (ratelimit.Limiter, error) {
			return ratelimit.NewSlidingWindow(w.Client, ratelimit.SlidingConfig{
				Table: ratelimit.Table{Name: w.Config.Table}, Limit: burst, Window: time.Hour, Now: w.Clock.Now, Tuning: tuning,
			})
		},
		"fixed_window": func(w *suite.World) (ratelimit.Limiter, error) {
			return ratelimit.NewFixedWindow(w.Client, ratelimit.FixedConfig{
				Table: ratelimit.Table{Name: w.Config.Table}, Limit: burst, Window: time.Hour, Now: w.Clock.Now, Tuning: tuning,
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t, suite.WithFaults(standaloneFaults()), suite.WithAttempts(100))
			var admitted atomic.Int64
			var callers sync.WaitGroup
			for range 8 {
				limiter, err := build(w)
				require.NoError(t, err)
				for range 4 {
					callers.Go(func() {
						for range 4 {
							d, err := limiter.Allow(context.Background(), "hot")
							if err != nil || d.Degraded {
								t.Errorf("no decision: %v, %v", err, d.Cause)
							}
							if d.Allowed {
								admitted.Add(1)
							}
						}
					})
				}
			}
			callers.Wait()
			require.EqualValues(t, burst, admitted.Load())
		})
	}
}

// TestRelaysPublishInOrder: three relays share what five aggregates have committed, and the bus fails now and then.
func TestRelaysPublishInOrder(t *testing.T) {
	t.Parallel()
	w := suite.New(t, suite.WithFaults(standaloneFaults()), suite.WithAttempts(100))
	where := outbox.Table{Name: w.Config.Table}
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: where, Shards: 4})
	require.NoError(t, err)
	committed := commitEvents(t, w, writer)

	var calls atomic.Int64
	bus := &outboxtest.Recorder{Answer: func(outbox.Entry) outbox.Result {
		if calls.Add(1)%5 == 0 {
			return outbox.Result{Outcome: outbox.Retry, Code: "Throttled"}
		}
		return outbox.Result{Outcome: outbox.Published}
	}}
	ctx, stop := context.WithCancel(t.Context())
	var relays sync.WaitGroup
	for range 3 {
		relay, err := outbox.NewRelay(w.Client, bus, outbox.RelayConfig{Table: where, Shards: 4, LeaseDuration: time.Second})
		require.NoError(t, err)
		relays.Go(func() { _ = relay.Run(ctx) }) // it ends with the context's error
	}
	admin, err := outbox.NewAdmin(w.Client, outbox.AdminConfig{Table: where, Shards: 4})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return waiting(t, admin) == 0 }, time.Minute, 50*time.Millisecond)
	stop()
	relays.Wait()
	report := outboxtest.Compare(committed, bus.Events())
	require.Empty(t, report.Lost)
	require.Empty(t, report.Invented)
	require.Empty(t, report.OutOfOrder)
}

// waiting counts the packs that are not published yet.
func waiting(t *testing.T, admin *outbox.Admin) int {
	n := 0
	for _, err := range admin.Waiting(t.Context(), "") {
		assert.NoError(t, err)
		n++
	}
	return n
}

// commitEvents commits twelve packs of one or two events for each of five aggregates.
func commitEvents(t *testing.T, w *suite.World, writer *outbox.Writer) []outbox.Event {
	t.Helper()
	var committed []outbox.Event
	for a := range 5 {
		seq := int64(0)
		for pack := range 12 {
			var events []outbox.Event
			for range 1 + pack%2 {
				seq++
				events = append(events, anEvent(fmt.Sprintf("a%d", a), seq))
			}
			action, err := writer.TransactItem(events...)
			require.NoError(t, err)
			_, err = w.Plain().TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{action}})
			require.NoError(t, err)
			committed = append(committed, events...)
		}
	}
	return committed
}

func anEvent(aggregate string, seq int64) outbox.Event {
	return outbox.Event{
		ID: uuid.NewString(), Type: "counted", AggregateID: aggregate, Seq: seq, Time: time.Now(), Data: json.RawMessage(`{"n":1}`),
	}
}

// TestConsumersAgree: events that come twice and in any order leave a State at the last one, and a Delta with each counted once.
func TestConsumersAgree(t *testing.T) {
	t.Parallel()
	const events = 8
	w := suite.New(t, suite.WithFaults(faults.Plan{Seed: 1, Throttle: 0.05, LoseReply: 0.1}), suite.WithAttempts(100))
	table := consume.Table{Name: w.Config.Table, PartitionKey: "PK", SortKey: "SK", SortValue: "VIEW"}
	last, err := consume.NewState(w.Client, consume.StateConfig{Projection: consume.Projection{Table: table}, Attributes: []string{"last"}})
	require.NoError(t, err)
	table.SortValue = "COUNT"
	count, err := consume.NewDelta(w.Client, consume.DeltaConfig{Projection: consume.Projection{Table: table}})
	require.NoError(t, err)
	var all []outbox.Event
	for seq := range int64(events) {
		e := anEvent("a", seq+1)
		all = append(all, e, e)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	number := func(n int64) types.AttributeValue { return &types.AttributeValueMemberN{Value: fmt.Sprint(n)} }
	for _, e := range all {
		_, err := last.Apply(t.Context(), e, consume.Item{"last": number(e.Seq)})
		require.NoError(t, err)
	}
	for waiting := all; len(waiting) > 0; { // what meets a gap is delivered again, as a queue does
		waiting = slices.DeleteFunc(slices.Clone(waiting), func(e outbox.Event) bool {
			_, err := count.Apply(t.Context(), e, consume.Change{Add: consume.Item{"count": number(1)}})
			if err != nil {
				require.ErrorIs(t, err, consume.ErrGap)
			}
			return err == nil
		})
	}
	for sort, attribute := range map[string]string{"VIEW": "last", "COUNT": "count"} {
		out, err := w.Plain().GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &table.Name, Key: consume.Item{
			"PK": &types.AttributeValueMemberS{Value: "a"}, "SK": &types.AttributeValueMemberS{Value: sort},
		}})
		require.NoError(t, err)
		require.Equal(t, number(events), out.Item[attribute])
	}
}
