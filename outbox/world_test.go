package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

const tableName = "main"

// world is a table with an outbox, and what was committed to it.
type world struct {
	t      *testing.T
	db     *memdynamo.DB
	client *dynamodb.Client
	writer *outbox.Writer

	mu        sync.Mutex
	next      map[string]int64
	committed []outbox.Event
	// gathering is set while commits go together; gathered are their packs.
	gathering bool
	gathered  []types.TransactWriteItem
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, db: memdynamo.New(memdynamo.Options{}), next: make(map[string]int64)}
	w.client = w.db.Client()
	w.writer = newWriter(t, outbox.WriterConfig{Shards: testShards})
	createTable(t, w.client, "PK", "SK")
	return w
}

// testShards is the number of shards of a world: few, so that they are worth something.
const testShards = 4

func createTable(t *testing.T, client *dynamodb.Client, pk, sk string) {
	t.Helper()
	_, err := client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:   aws.String(tableName),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: &pk, AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: &sk, AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: &pk, KeyType: types.KeyTypeHash},
			{AttributeName: &sk, KeyType: types.KeyTypeRange},
		},
	})
	require.NoError(t, err)
}

// commit makes a change of the aggregate with n events: one transaction.
func (w *world) commit(aggregateID string, n int) {
	w.t.Helper()
	w.commitOfType(aggregateID, "user.updated", n)
}

func (w *world) commitOfType(aggregateID, eventType string, n int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	events := make([]outbox.Event, n)
	for i := range events {
		events[i] = anEvent(aggregateID, w.next[aggregateID]+int64(i)+1)
		events[i].Type, events[i].Time = eventType, time.Now()
	}
	pack, err := w.writer.TransactItem(events...)
	require.NoError(w.t, err)
	w.gathered = append(w.gathered, pack)
	w.next[aggregateID] += int64(n)
	w.committed = append(w.committed, events...)
	if !w.gathering {
		w.send()
	}
}

// together sends what commits has committed in as few requests as there can be, for tests that need many packs and not how they came.
func (w *world) together(commits func()) {
	w.t.Helper()
	w.gathering = true
	commits()
	w.gathering = false
	w.send()
}

// send writes the packs that are gathered.
func (w *world) send() {
	w.t.Helper()
	const mostActions = 100 // TransactWriteItems, API reference
	for packs := range slices.Chunk(w.gathered, mostActions) {
		_, err := w.client.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: packs})
		require.NoError(w.t, err)
	}
	w.gathered = nil
}

// relay returns a relay whose requests go through the client.
func (w *world) relay(client outbox.Client, publisher outbox.Publisher, cfg outbox.RelayConfig) *outbox.Relay {
	w.t.Helper()
	cfg.Table.Name, cfg.Shards = tableName, testShards
	relay, err := outbox.NewRelay(client, publisher, cfg)
	require.NoError(w.t, err)
	return relay
}

// run runs the relay until the function that it returns is called.
func (w *world) run(relay *outbox.Relay) (stop func() error) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- relay.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// requireAllPublished checks that nothing was lost or invented, that the order was kept, that at most so many events were repeated,
// and that no pack is left.
func (w *world) requireAllPublished(published []outbox.Event, mayRepeat int) {
	w.t.Helper()
	report := outboxtest.Compare(w.committed, published)
	require.Empty(w.t, report.Lost, "lost")
	require.Empty(w.t, report.Invented, "invented")
	require.Empty(w.t, report.OutOfOrder, "out of order")
	require.LessOrEqual(w.t, report.Repeated, mayRepeat, "repeated")
	require.Empty(w.t, w.waiting())
}

// waiting returns the packs that are not deleted.
func (w *world) waiting() []item { return w.items("OUTBOX#0", "OUTBOX#1", "OUTBOX#2", "OUTBOX#3") }

// dead returns the dead letters.
func (w *world) dead() []item {
	return w.items("OUTBOX#DEAD#0", "OUTBOX#DEAD#1", "OUTBOX#DEAD#2", "OUTBOX#DEAD#3")
}

// items returns the items of some partitions, in the order of their keys.
func (w *world) items(partitions ...string) []item {
	w.t.Helper()
	found := make(map[string][]item)
	pages := dynamodb.NewScanPaginator(w.client, &dynamodb.ScanInput{TableName: aws.String(tableName)})
	for pages.HasMorePages() {
		out, err := pages.NextPage(context.Background())
		require.NoError(w.t, err)
		for _, it := range out.Items {
			partition := it["PK"].(*types.AttributeValueMemberS).Value
			found[partition] = append(found[partition], it)
		}
	}
	var items []item
	for _, partition := range partitions {
		items = append(items, found[partition]...)
	}
	return items
}

// relays returns the relays that have not signed off.
func (w *world) relays() []string {
	w.t.Helper()
	var relays []string
	for _, it := range w.items("OUTBOX#RELAYS") {
		if id, ok := strings.CutPrefix(it["SK"].(*types.AttributeValueMemberS).Value, "RELAY#"); ok {
			relays = append(relays, id)
		}
	}
	return relays
}

// users returns n ids.
func users(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("user-%02d", i)
	}
	return ids
}
