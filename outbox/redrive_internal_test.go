package outbox

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, s store, p *pack) {
	t.Helper()
	p.shards = 1
	for i := range p.events {
		p.events[i].Time, p.events[i].Data = time.Unix(1, 0), []byte("{}")
	}
	done, err := s.transact(t.Context(), types.TransactWriteItem{Put: &types.Put{TableName: &s.table.Name, Item: s.table.packItem(p)}})
	require.NoError(t, err)
	require.True(t, done)
}

// stored returns the packs that wait in the shard, as they are in the table.
func stored(t *testing.T, s store) []*pack {
	t.Helper()
	items, err := s.all(t.Context(), span{partition: s.table.waiting(0)})
	require.NoError(t, err)
	var packs []*pack
	for _, it := range items {
		p, err := s.table.decodePack(0, it)
		require.NoError(t, err)
		packs = append(packs, p)
	}
	return packs
}

// TestLateDeletionSparesWhatWasRedriven has a pack whose first event is a dead letter and whose second is published. Its deletion takes effect, but
// the answer is lost; before the relay repeats it, an operator gives the dead letter back, under the same key.
func TestLateDeletionSparesWhatWasRedriven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		p := newTestPipeline(t, publisherFunc(func(_ context.Context, entries []Entry) ([]Result, error) {
			sent = append(sent, entries[0].DeduplicationID)
			if entries[0].Event.Seq == 1 {
				return []Result{{Outcome: Rejected, Code: "Bad"}}, nil
			}
			return []Result{{Outcome: Published}}, nil
		}))
		table := p.store
		write(t, table, aPack("a", 1, 2))
		admin := &Admin{store: table, shards: 1}
		p.store.client = &meddler{Client: table.client, meddle: func() {
			redriven, err := admin.Redrive(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, Redriven{Returned: 1}, redriven)
		}}
		p.backlog.extend(time.Now().Add(time.Hour))
		readTo(t, p.backlog, p.backlog.beginRead(0), stored(t, table)...)
		for range 2 {
			s, _ := p.backlog.take(time.Now())
			p.send(t.Context(), s)
		}
		require.Equal(t, []string{"a/1", "a/2"}, sent)
		p.backlog.beginFlush()
		p.clean(t.Context())
		left := stored(t, table)
		require.Len(t, left, 1, "the event that was given back is still to be published")
		require.Equal(t, "a/1", left[0].events[0].ID)
	})
}

// meddler is a client that loses the answer of the first deletion, and lets something happen before the next.
type meddler struct {
	Client
	meddle func()
}

func (m *meddler) lose(err error) error {
	if err != nil || m.meddle == nil {
		return err
	}
	m.meddle()
	m.meddle = nil
	return errCut
}

func (m *meddler) DeleteItem(
	ctx context.Context, in *dynamodb.DeleteItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.DeleteItemOutput, error) {
	out, err := m.Client.DeleteItem(ctx, in, opts...)
	return out, m.lose(err)
}

func (m *meddler) BatchWriteItem(
	ctx context.Context, in *dynamodb.BatchWriteItemInput, opts ...func(*dynamodb.Options),
) (*dynamodb.BatchWriteItemOutput, error) {
	out, err := m.Client.BatchWriteItem(ctx, in, opts...)
	return out, m.lose(err)
}

// TestProgressNeverGoesBack has two relays with the same pack, of which the slower one stores what it knows.
func TestProgressNeverGoesBack(t *testing.T) {
	t.Parallel()
	for name, save := range map[string]func(store, *pack) (bool, error){
		"done":    func(s store, p *pack) (bool, error) { return s.saveDone(t.Context(), p) },
		"failure": func(s store, p *pack) (bool, error) { return s.saveFailure(t.Context(), p, failure{}, time.Now()) },
		"hold":    func(s store, p *pack) (bool, error) { return s.hold(t.Context(), p, failure{}) },
		"bury":    func(s store, p *pack) (bool, error) { return s.bury(t.Context(), p, failure{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := aStore(t)
			write(t, s, aPack("a", 1, 3))
			fast, slow := stored(t, s)[0], stored(t, s)[0]
			fast.done, slow.done = 2, 1
			ok, err := s.saveDone(t.Context(), fast)
			require.NoError(t, err)
			require.True(t, ok)
			before := stored(t, s)
			ok, err = save(s, slow)
			require.NoError(t, err)
			require.False(t, ok)
			require.Equal(t, before, stored(t, s))

			ok, err = save(s, fast)
			require.NoError(t, err)
			require.True(t, ok, "the one that is ahead may")

			// The same on another pack under the key, and on none.
			other := aStore(t)
			write(t, other, aPack("a", 1, 1))
			before = stored(t, other)
			ok, err = save(other, slow)
			require.NoError(t, err)
			require.False(t, ok)
			require.Equal(t, before, stored(t, other))
			ok, err = save(aStore(t), slow)
			require.NoError(t, err)
			require.False(t, ok)
		})
	}
}

// TestDecidedByConditions tells failed conditions from conflicts.
func TestDecidedByConditions(t *testing.T) {
	t.Parallel()
	for want, codes := range map[bool][][]string{
		true:  {{"ConditionalCheckFailed"}, {"None", "ConditionalCheckFailed"}},
		false: {{"TransactionConflict"}, {"ConditionalCheckFailed", "TransactionConflict"}, {"ThrottlingError", "None"}, {"None"}, {}},
	} {
		for _, list := range codes {
			cancelled := &types.TransactionCanceledException{}
			for _, code := range list {
				cancelled.CancellationReasons = append(cancelled.CancellationReasons, types.CancellationReason{Code: &code})
			}
			require.Equal(t, want, conditionDecided(cancelled), "%v", list)
		}
	}
}
