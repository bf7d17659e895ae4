package outbox

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// aStore returns the store of an empty table.
func aStore(t *testing.T) store {
	t.Helper()
	table, err := Table{Name: "main"}.withDefaults()
	require.NoError(t, err)
	client := memdynamo.New(memdynamo.Options{}).Client()
	_, err = client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String("main"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
	})
	require.NoError(t, err)
	return store{client: client, table: table}
}

func someLeases(t *testing.T, s store, id string, sweeper bool) *leases {
	t.Helper()
	cfg, err := RelayConfig{Table: Table{Name: "main"}, Shards: 4}.withDefaults()
	require.NoError(t, err)
	return newLeases(s, cfg, id, sweeper)
}

func always(int) bool { return true }

func takeTurn(t *testing.T, l *leases) turn {
	t.Helper()
	result, err := l.take(t.Context(), always)
	require.NoError(t, err)
	return result
}

// TestOneOfTwoTakes has two relays that read the same lease and both want it.
func TestOneOfTwoTakes(t *testing.T) {
	t.Parallel()
	s := aStore(t)
	a, b := someLeases(t, s, "a", false), someLeases(t, s, "b", false)
	for seen := range int64(3) {
		first, err := a.write(t.Context(), 1, seen, lease{owner: "a", epoch: seen + 1})
		require.NoError(t, err)
		second, err := b.write(t.Context(), 1, seen, lease{owner: "b", epoch: seen + 1})
		require.NoError(t, err)
		require.True(t, first)
		require.False(t, second)
	}
}

// TestLateBeatTakesShardsAnew has a relay that stalls for longer than it may publish, and is back before anybody takes over: it must not go on as
// if nothing had been, because another may be about to.
func TestLateBeatTakesShardsAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := someLeases(t, aStore(t), "a", false)
		first := takeTurn(t, l)
		require.Len(t, first.acquired, 4)
		require.Equal(t, time.Now().Add(7500*time.Millisecond), l.validUntil)
		<-time.After(7500 * time.Millisecond)
		require.Equal(t, turn{}, takeTurn(t, l), "just in time")

		<-time.After(7501 * time.Millisecond)
		require.Equal(t, turn{lost: []int{0, 1, 2, 3}}, takeTurn(t, l))
		held, err := l.take(t.Context(), func(int) bool { return false })
		require.NoError(t, err)
		require.Equal(t, turn{}, held, "nothing new before the old is at rest")
		again := takeTurn(t, l)
		require.Equal(t, turn{acquired: []int{0, 1, 2, 3}}, again)
		require.EqualValues(t, 2, l.owned[0])
	})
}

func TestDeadRelaysShardsAreTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := aStore(t)
		require.Len(t, takeTurn(t, someLeases(t, s, "dead", false)).acquired, 4)
		heir := someLeases(t, s, "heir", false)
		for range 5 {
			require.Equal(t, turn{}, takeTurn(t, heir), "it may be alive")
			require.False(t, heir.elsewhere(0), "nor is it known to be")
			<-time.After(2 * time.Second)
		}
		require.Len(t, takeTurn(t, heir).acquired, 4)
		require.Len(t, heir.view.counters, 2)
		require.Equal(t, turn{}, takeTurn(t, heir))
		takeTurn(t, heir)
		require.Len(t, heir.view.counters, 1, "the dead one's item is removed")
	})
}

// TestShardsChangeHands has a steady relay that takes over from a job that drains once, shard by shard as it gives them up.
func TestShardsChangeHands(t *testing.T) {
	t.Parallel()
	s := aStore(t)
	job, steady := someLeases(t, s, "job", true), someLeases(t, s, "steady", false)
	require.Len(t, takeTurn(t, job).acquired, 4)
	require.Equal(t, turn{}, takeTurn(t, steady))
	require.Equal(t, turn{unwanted: []int{0, 1, 2, 3}}, takeTurn(t, job))
	require.Equal(t, turn{}, takeTurn(t, job), "told once")
	require.NoError(t, job.release(t.Context(), 2))
	require.NoError(t, job.release(t.Context(), 2))
	require.Equal(t, turn{acquired: []int{2}}, takeTurn(t, steady))
	require.Equal(t, turn{}, takeTurn(t, job))
	require.True(t, job.elsewhere(2))
	require.False(t, job.elsewhere(1))
}

// TestCutOffTurn has a turn whose last answer is lost: the shard may be taken or not, and is taken anew.
func TestCutOffTurn(t *testing.T) {
	t.Parallel()
	s := aStore(t)
	cut := &cutOff{Client: s.client, after: 1}
	l := someLeases(t, store{client: cut, table: s.table}, "a", false)
	result, err := l.take(t.Context(), always)
	require.ErrorIs(t, err, errCut)
	require.Equal(t, turn{acquired: []int{0}}, result)
	require.True(t, l.validUntil.IsZero(), "no right to publish from a turn that failed")
	cut.after = 100
	require.Equal(t, turn{acquired: []int{1, 2, 3}, lost: []int{0}}, takeTurn(t, l))
	require.Equal(t, turn{acquired: []int{0}}, takeTurn(t, l))
	require.Equal(t, map[int]int64{0: 2, 1: 2, 2: 1, 3: 1}, l.owned)
}

var errCut = errors.New("cut off")

// cutOff is a client that loses the answers of updates after some.
type cutOff struct {
	Client
	after int
}

func (c *cutOff) UpdateItem(
	ctx context.Context, in *dynamodb.UpdateItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.UpdateItemOutput, error) {
	out, err := c.Client.UpdateItem(ctx, in, opts...)
	if c.after--; c.after < 0 {
		return nil, errCut
	}
	return out, err
}

// TestCallEndsWithTheRightToPublish watches the deadline of a call.
func TestCallEndsWithTheRightToPublish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var deadlines []time.Duration
		p := newTestPipeline(t, publisherFunc(func(ctx context.Context, entries []Entry) ([]Result, error) {
			at, _ := ctx.Deadline()
			deadlines = append(deadlines, time.Until(at))
			return make([]Result, len(entries)), nil
		}))
		readTo(t, p.backlog, p.backlog.beginRead(0), aPack("a", 1, 1))
		for _, right := range []time.Duration{time.Minute, time.Second} {
			p.backlog.extend(time.Now().Add(right))
			s, _ := p.backlog.take(time.Now())
			p.send(t.Context(), s)
			<-time.After(time.Second)
		}
		require.Equal(t, []time.Duration{5 * time.Second, time.Second}, deadlines)
	})
}

type publisherFunc func(context.Context, []Entry) ([]Result, error)

func (f publisherFunc) Publish(ctx context.Context, entries []Entry) ([]Result, error) {
	return f(ctx, entries)
}

func newTestPipeline(t *testing.T, publisher Publisher) *pipeline {
	t.Helper()
	cfg, err := Publishing{}.withDefaults()
	require.NoError(t, err)
	p := newPipeline(aStore(t), publisher, cfg, 1, newStatistics(), signals{})
	p.backlog.activate(0)
	return p
}
