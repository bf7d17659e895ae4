package outbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// streamEvent returns Lambda's event for the insertion of the items, and some records that are none of the outbox's business.
func streamEvent(t *testing.T, items []item) json.RawMessage {
	t.Helper()
	record := func(name, pk, sk string, n int) map[string]any {
		return map[string]any{
			"eventID": fmt.Sprint(n), "eventName": name, "eventSource": "aws:dynamodb", "eventVersion": "1.1", "awsRegion": "eu-central-1",
			"dynamodb": map[string]any{
				"Keys":           map[string]any{"PK": map[string]any{"S": pk}, "SK": map[string]any{"S": sk}},
				"SequenceNumber": fmt.Sprint(n), "SizeBytes": 100, "StreamViewType": "KEYS_ONLY",
			},
		}
	}
	records := []any{
		record("INSERT", "USER#1", "PROFILE", 1),
		record("REMOVE", "OUTBOX#1", "user-01#0000000000000000001", 2),
		record("INSERT", "OUTBOX#RELAYS", "SHARD#1", 3),
		record("INSERT", "OUTBOX#DEAD#1", "user-01#0000000000000000001", 4),
		record("INSERT", "OUTBOX#01", "user-01#0000000000000000001", 5),
	}
	for i, it := range items {
		records = append(records, record("INSERT", plainValue(it["PK"]).(string), plainValue(it["SK"]).(string), 100+i))
	}
	event, err := json.Marshal(map[string]any{"Records": records})
	require.NoError(t, err)
	return event
}

func (w *world) streamHandler(client outbox.Client, publisher outbox.Publisher, cfg outbox.StreamConfig) *outbox.StreamHandler {
	w.t.Helper()
	cfg.Table.Name, cfg.Shards = tableName, testShards
	h, err := outbox.NewStreamHandler(client, publisher, cfg)
	require.NoError(w.t, err)
	return h
}

func TestStreamHandlerPublishes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for range 4 {
			for i, id := range users(10) {
				w.commit(id, 1+i%2)
			}
		}
		for range 70 { // more than is held in memory of one aggregate
			w.commit("user-00", 1)
		}
		event := streamEvent(t, w.waiting())
		h := w.streamHandler(w.client, recorder, outbox.StreamConfig{})
		for range 2 { // the same batch again publishes nothing more
			response, err := h.Handle(t.Context(), event)
			require.NoError(t, err)
			encoded, err := json.Marshal(response)
			require.NoError(t, err)
			require.Equal(t, `{"batchItemFailures":[]}`, string(encoded))
			w.requireAllPublished(recorder.Events(), 0)
		}
		require.EqualValues(t, len(w.committed), h.Stats().Published)
	})
}

func TestStreamHandlerPublishesWhatPrecedesItsRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{}
		for range 3 {
			w.commit("user-1", 2)
		}
		w.commit("user-2", 1)
		packs := w.waiting()
		var last []item
		for _, it := range packs {
			if plainValue(it["SK"]) == "user-1#0000000000000000003" {
				last = append(last, it)
			}
		}
		_, err := w.streamHandler(w.client, recorder, outbox.StreamConfig{}).Handle(t.Context(), streamEvent(t, last))
		require.NoError(t, err)
		var seqs []int64
		for _, e := range recorder.Events() {
			seqs = append(seqs, e.Seq)
		}
		require.Equal(t, []int64{1, 2, 3, 4}, seqs, "not the pack after it: that has a record of its own")
		require.Len(t, w.waiting(), 2)
	})
}

func TestStreamHandlerLeavesFailuresToTheSweeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, recorder := newWorld(t), &outboxtest.Recorder{Answer: picky()}
		history(w)
		response, err := w.streamHandler(w.client, recorder, outbox.StreamConfig{}).Handle(t.Context(), streamEvent(t, w.waiting()))
		require.NoError(t, err)
		require.Empty(t, response.BatchItemFailures)
		require.Len(t, w.dead(), 2)
		require.Len(t, w.waiting(), 2, "the flaky event and the one behind it")

		sweeper := w.relay(w.client, recorder, outbox.RelayConfig{MinAge: time.Minute})
		for range 2 {
			<-time.After(2 * time.Minute)
			require.NoError(t, sweeper.RunOnce(t.Context()))
		}
		report := outboxtest.Compare(w.committed, recorder.Events())
		require.Len(t, report.Lost, 2)
		require.Empty(t, report.OutOfOrder)
		require.Zero(t, report.Repeated)
	})
}

func TestStreamHandlerNamesWhatItCouldNotFinish(t *testing.T) {
	t.Parallel()
	t.Run("publisher_down", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.commit("user-1", 1)
			w.commit("user-2", 1)
			down := true
			recorder := &outboxtest.Recorder{Before: func(context.Context, []outbox.Entry) error {
				if down {
					return errors.New("no route")
				}
				return nil
			}}
			h, event := w.streamHandler(w.client, recorder, outbox.StreamConfig{}), streamEvent(t, w.waiting())
			ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
			defer cancel()
			began := time.Now()
			response, err := h.Handle(ctx, event)
			require.NoError(t, err)
			require.Less(t, time.Since(began), 14*time.Second)
			require.ElementsMatch(t, []outbox.StreamFailure{{ItemIdentifier: "100"}, {ItemIdentifier: "101"}}, response.BatchItemFailures)

			down = false
			<-time.After(time.Minute)
			response, err = h.Handle(t.Context(), event)
			require.NoError(t, err)
			require.Empty(t, response.BatchItemFailures)
			w.requireAllPublished(recorder.Events(), 0)
		})
	})
	t.Run("table_unreadable", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w, recorder := newWorld(t), &outboxtest.Recorder{}
			w.commit("user-1", 1)
			w.commit("user-2", 1)
			table, err := faults.New(w.db.Transport(), faults.Plan{})
			require.NoError(t, err)
			for range 4 { // as often as the SDK tries
				table.Next(faults.Internal{}, faults.Ops("Query"))
			}
			client := w.db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: table} })
			event := streamEvent(t, w.waiting()[:1])
			response, err := w.streamHandler(client, recorder, outbox.StreamConfig{}).Handle(t.Context(), event)
			require.NoError(t, err)
			require.Equal(t, []outbox.StreamFailure{{ItemIdentifier: "100"}}, response.BatchItemFailures)
			require.Empty(t, recorder.Events())
		})
	})
}

func TestStreamHandlerRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		h := w.streamHandler(w.client, &outboxtest.Recorder{}, outbox.StreamConfig{})
		_, err := h.Handle(t.Context(), json.RawMessage(`{"Records":7}`))
		require.ErrorContains(t, err, "decode")
		response, err := h.Handle(t.Context(), json.RawMessage(`{}`))
		require.NoError(t, err)
		require.Empty(t, response.BatchItemFailures)

		foreign, err := newWriter(t, outbox.WriterConfig{Shards: 8}).TransactItem(anEvent("user-1", 1))
		require.NoError(t, err)
		foreign.Put.Item["PK"] = &types.AttributeValueMemberS{Value: "OUTBOX#1"}
		_, err = w.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{foreign}})
		require.NoError(t, err)
		_, err = h.Handle(t.Context(), streamEvent(t, w.waiting()))
		require.ErrorIs(t, err, outbox.ErrShards)
	})
}
