package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
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

// checked is a publisher that can tell that its target is missing.
type checked struct {
	outboxtest.Recorder
	err error
}

func (c *checked) Check(context.Context) error { return c.err }

func TestStartChecks(t *testing.T) {
	t.Parallel()
	client := memdynamo.New(memdynamo.Options{}).Client()
	createTable(t, client, "pk", "sk")
	start := func(table outbox.Table, publisher outbox.Publisher) error {
		relay, err := outbox.NewRelay(client, publisher, outbox.RelayConfig{Table: table, Shards: 1})
		require.NoError(t, err)
		return relay.RunOnce(t.Context())
	}
	right := outbox.Table{Name: tableName, PartitionKey: "pk", SortKey: "sk"}
	missing := errors.New("no such bus")
	require.ErrorIs(t, start(outbox.Table{Name: tableName}, &checked{}), outbox.ErrTable)
	require.ErrorIs(t, start(outbox.Table{Name: tableName, PartitionKey: "pk", SortKey: "range"}, &checked{}), outbox.ErrTable)
	require.ErrorContains(t, start(outbox.Table{Name: "other"}, &checked{}), "describe the table")
	require.ErrorIs(t, start(right, &checked{err: missing}), missing)
	require.NoError(t, start(right, &checked{}))
}

func TestRelayStopsOnAnotherNumberOfShards(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.writer = newWriter(t, outbox.WriterConfig{Shards: 2})
		w.commit("user-1", 1)
		relay := w.relay(w.client, &outboxtest.Recorder{}, outbox.RelayConfig{})
		require.ErrorIs(t, relay.Run(t.Context()), outbox.ErrShards)
		require.Empty(t, w.relays())
	})
}

// TestForeignItem has an item under the outbox's prefix that is no pack.
func TestForeignItem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for _, sort := range []string{"user-1#0000000000000000000", "user-2#0000000000000000009", "zzz"} {
			_, err := w.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(tableName), Item: item{
				"PK": &types.AttributeValueMemberS{Value: "OUTBOX#2"}, "SK": &types.AttributeValueMemberS{Value: sort},
				"events": &types.AttributeValueMemberL{}, "shards": &types.AttributeValueMemberN{Value: "4"},
			}})
			require.NoError(t, err)
		}
		for _, id := range users(12) {
			w.commit(id, 1)
		}
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		relay := w.relay(w.client, recorder, outbox.RelayConfig{Publishing: outbox.Publishing{Logger: logger}})
		stop := w.run(relay)
		<-time.After(time.Minute)
		require.NoError(t, stop())
		require.Len(t, recorder.Events(), 12)
		require.Equal(t, 1, strings.Count(log.String(), "no packs"), "not at each of its reads")
		require.Contains(t, log.String(), "items=3")
		require.Len(t, w.waiting(), 3)
		require.NotZero(t, relay.Stats().Malformed)
		for _, err := range w.admin().Waiting(t.Context(), "") {
			require.Error(t, err)
		}
	})
}

// TestStoredFailures holds the items of a failing, a held and a dead event to golden files.
func TestStoredFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, eventType := range []string{"failing", "held", "dead"} {
			pack, err := w.writer.TransactItem(anEventOfType(eventType, 1, "ok"), anEventOfType(eventType, 2, eventType))
			require.NoError(t, err)
			_, err = w.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{pack}})
			require.NoError(t, err)
		}
		recorder := &outboxtest.Recorder{Answer: func(e outbox.Entry) outbox.Result {
			switch e.Event.Type {
			case "ok":
				return outbox.Result{Outcome: outbox.Published}
			case "failing":
				return outbox.Result{Code: "InternalFailure", Message: strings.Repeat("ü", 2000)}
			default:
				return outbox.Result{Outcome: outbox.Rejected, Code: "MalformedDetail", Message: "Detail is malformed."}
			}
		}}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{
			Publishing: outbox.Publishing{Policies: map[string]outbox.Policy{"held": outbox.Hold}},
		})
		require.NoError(t, relay.RunOnce(t.Context()))
		items := make(map[string]item)
		for _, it := range append(w.waiting(), w.dead()...) {
			id, _, _ := strings.Cut(plainValue(it["SK"]).(string), "#")
			items[id] = it
		}
		failing := items["failing"]
		require.Len(t, plainValue(failing["error"]), 1024)
		delete(failing, "error")
		for _, name := range []string{"nextAttemptAt", "lastFailedAt"} { // jitter
			require.Contains(t, failing, name)
			delete(failing, name)
		}
		for id, it := range items {
			golden(t, id+".json", plain(t, it))
		}
	})
}

func anEventOfType(aggregateID string, seq int64, eventType string) outbox.Event {
	e := anEvent(aggregateID, seq)
	e.Type = eventType
	return e
}

// TestLogHasNoPayload collects all that a relay logs while everything goes wrong.
func TestLogHasNoPayload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		history(w)
		answer := picky()
		calls := 0
		recorder := &outboxtest.Recorder{Answer: answer, Before: func(context.Context, []outbox.Entry) error {
			if calls++; calls%3 == 0 {
				return errors.New("ValidationException: firstName is no good")
			}
			return nil
		}}
		cfg := outbox.Publishing{Logger: logger, Concurrency: 1, Policies: map[string]outbox.Policy{"poison": outbox.Hold}}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{Name: "test", Publishing: cfg})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, relay.Run(ctx))
		require.Contains(t, log.String(), "aggregate held")
		require.Contains(t, log.String(), "leases changed")
		require.Contains(t, log.String(), "CallFailed")
		require.NotContains(t, log.String(), "firstName", "from a payload, or an error text that quotes one")
	})
}

func TestNewRelayNamesTheBadField(t *testing.T) {
	t.Parallel()
	client := memdynamo.New(memdynamo.Options{}).Client()
	table := outbox.Table{Name: "t"}
	for field, cfg := range map[string]outbox.RelayConfig{
		"Table.Name":      {},
		"Shards":          {Table: table, Shards: 3},
		"Name":            {Table: table, Name: "my relay"},
		"LeaseDuration":   {Table: table, LeaseDuration: time.Millisecond},
		"PollInterval":    {Table: table, PollInterval: time.Hour},
		"MaxPollInterval": {Table: table, MaxPollInterval: time.Millisecond},
		"MinAge":          {Table: table, MinAge: -1},
		"ShutdownTimeout": {Table: table, ShutdownTimeout: -1},
		"BatchEntries":    {Table: table, Publishing: outbox.Publishing{BatchEntries: 101}},
		"BatchBytes":      {Table: table, Publishing: outbox.Publishing{BatchBytes: 7}},
		"Concurrency":     {Table: table, Publishing: outbox.Publishing{Concurrency: -1}},
		"PublishTimeout":  {Table: table, Publishing: outbox.Publishing{PublishTimeout: -1}},
		"MaxBackoff":      {Table: table, Publishing: outbox.Publishing{MaxBackoff: time.Millisecond}},
		"MaxAttempts":     {Table: table, Publishing: outbox.Publishing{MaxAttempts: -1}},
		"DefaultPolicy":   {Table: table, Publishing: outbox.Publishing{DefaultPolicy: 7}},
		`Policies["a.b"]`: {Table: table, Publishing: outbox.Publishing{Policies: map[string]outbox.Policy{"a.b": -1}}},
	} {
		_, err := outbox.NewRelay(client, &outboxtest.Recorder{}, cfg)
		require.ErrorContains(t, err, field)
	}
	_, err := outbox.NewRelay(nil, &outboxtest.Recorder{}, outbox.RelayConfig{Table: table})
	require.ErrorContains(t, err, "client")
	_, err = outbox.NewRelay(client, nil, outbox.RelayConfig{Table: table})
	require.ErrorContains(t, err, "publisher")
	_, err = outbox.NewStreamHandler(client, nil, outbox.StreamConfig{Table: table})
	require.ErrorContains(t, err, "publisher")
	_, err = outbox.NewStreamHandler(client, &outboxtest.Recorder{}, outbox.StreamConfig{Table: table, Margin: -1})
	require.ErrorContains(t, err, "Margin")
	_, err = outbox.NewAdmin(nil, outbox.AdminConfig{Table: table})
	require.ErrorContains(t, err, "client")
	_, err = outbox.NewAdmin(client, outbox.AdminConfig{Table: table, Shards: 3})
	require.ErrorContains(t, err, "Shards")
	admin, err := outbox.NewAdmin(client, outbox.AdminConfig{Table: table})
	require.NoError(t, err)
	_, err = admin.Redrive(t.Context(), "")
	require.ErrorContains(t, err, "empty")
}
