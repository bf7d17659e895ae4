package consume_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// batchOf returns a batch of the events, as Lambda has it; a message is named as its event is.
func batchOf(t *testing.T, events ...outbox.Event) consume.SQSEvent {
	t.Helper()
	var batch consume.SQSEvent
	for _, e := range events {
		batch.Records = append(batch.Records, consume.SQSMessage{MessageID: name(e), Body: body(t, userDecoder().Envelope, e)})
	}
	return batch
}

func name(e outbox.Event) string { return e.AggregateID + string(rune('0'+e.Seq)) }

// failures returns the names of the messages in a response.
func failures(response consume.SQSResponse) []string {
	var ids []string
	for _, f := range response.BatchItemFailures {
		ids = append(ids, f.ItemIdentifier)
	}
	return ids
}

func newBatch(t *testing.T, handle consume.Handler, cfg consume.BatchConfig) *consume.Batch {
	t.Helper()
	cfg.Decoder = userDecoder()
	batch, err := consume.NewBatch(handle, cfg)
	require.NoError(t, err)
	return batch
}

// TestBatchJSON reads what Lambda sends and compares what it gets back.
func TestBatchJSON(t *testing.T) {
	t.Parallel()
	input, err := os.ReadFile("testdata/sqsevent.json")
	require.NoError(t, err)
	var event consume.SQSEvent
	require.NoError(t, json.Unmarshal(input, &event))
	for file, handled := range map[string]error{"testdata/response_failed.json": consume.ErrGap, "testdata/response_done.json": nil} {
		batch := newBatch(t, func(_ context.Context, e outbox.Event) error {
			require.Equal(t, "user-1", e.AggregateID)
			return handled
		}, consume.BatchConfig{})
		response, err := batch.Process(t.Context(), event)
		require.NoError(t, err)
		got, err := json.Marshal(response)
		require.NoError(t, err)
		if *update {
			require.NoError(t, os.WriteFile(file, append(got, '\n'), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(string(want)), string(got))
	}
}

func TestBatchHandlesAnAggregateInOrder(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	handled := map[string][]int64{}
	batch := newBatch(t, func(_ context.Context, e outbox.Event) error {
		mu.Lock()
		defer mu.Unlock()
		handled[e.AggregateID] = append(handled[e.AggregateID], e.Seq)
		return nil
	}, consume.BatchConfig{})
	response, err := batch.Process(t.Context(), batchOf(t,
		event("a", 3), event("b", 2), event("a", 1), event("a", 2), event("b", 1), event("a", 1)))
	require.NoError(t, err)
	require.Empty(t, response.BatchItemFailures)
	require.Equal(t, map[string][]int64{"a": {1, 1, 2, 3}, "b": {1, 2}}, handled)
}

func TestBatchNamesFailuresOnly(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		independent bool
		want        map[string]error
	}{
		"in_turn":     {false, map[string]error{"a2": broken, "a3": consume.ErrBehindFailure, "none": consume.ErrMalformed}},
		"independent": {true, map[string]error{"a2": broken, "none": consume.ErrMalformed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reported := map[string]error{}
			var order []string
			batch := newBatch(t, func(_ context.Context, e outbox.Event) error {
				if e.AggregateID == "a" && e.Seq == 2 {
					return broken
				}
				return nil
			}, consume.BatchConfig{Independent: tc.independent, OnFailure: func(_ context.Context, id string, err error) {
				reported[id] = err
				order = append(order, id)
			}})
			input := batchOf(t, event("a", 3), event("a", 2), event("b", 2), event("a", 1), event("b", 3))
			input.Records = append(input.Records, consume.SQSMessage{MessageID: "none", Body: "no event"})
			response, err := batch.Process(t.Context(), input)
			require.NoError(t, err)
			require.Len(t, reported, len(tc.want))
			for id, want := range tc.want {
				require.ErrorIs(t, reported[id], want)
			}
			require.Equal(t, order, failures(response), "in the order of the batch")
		})
	}
}

// TestBatchOfDeltas has a gap in the batch: one write finds it, the events behind it cost nothing.
func TestBatchOfDeltas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	delta := w.delta(t)
	batch := newBatch(t, func(ctx context.Context, e outbox.Event) error {
		_, err := delta.Apply(ctx, e, changeOf(e))
		return err
	}, consume.BatchConfig{})
	response, err := batch.Process(t.Context(), batchOf(t, event("a", 5), event("a", 1), event("a", 4), event("a", 3), event("b", 1)))
	require.NoError(t, err)
	require.Equal(t, []string{"a5", "a4", "a3"}, failures(response))
	w.requireUpdates(t, 3)
	response, err = batch.Process(t.Context(), batchOf(t, event("a", 5), event("a", 4), event("a", 3), event("a", 2)))
	require.NoError(t, err)
	require.Empty(t, response.BatchItemFailures)
	require.Equal(t, wantDelta("a", 5), w.item(t, "a"))
	require.Equal(t, wantDelta("b", 1), w.item(t, "b"))
}

func TestBatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var handled atomic.Int64
	batch := newBatch(t, func(context.Context, outbox.Event) error {
		handled.Add(1)
		cancel()
		return nil // done in spite of the end
	}, consume.BatchConfig{Concurrency: 1, OnFailure: func(_ context.Context, _ string, err error) { require.ErrorIs(t, err, context.Canceled) }})
	response, err := batch.Process(ctx, batchOf(t, event("a", 1), event("a", 2), event("b", 1)))
	require.NoError(t, err)
	require.Equal(t, []string{"a2", "b1"}, failures(response))
	require.Equal(t, int64(1), handled.Load())
}

// TestBatchConcurrency holds every handler until as many run as may.
func TestBatchConcurrency(t *testing.T) {
	t.Parallel()
	const limit = 3
	var running, most atomic.Int64
	full := make(chan struct{})
	open := sync.OnceFunc(func() { close(full) })
	batch := newBatch(t, func(context.Context, outbox.Event) error {
		now := running.Add(1)
		defer running.Add(-1)
		for {
			seen := most.Load()
			if now <= seen || most.CompareAndSwap(seen, now) {
				break
			}
		}
		if now == limit {
			open()
		}
		<-full
		return nil
	}, consume.BatchConfig{Concurrency: limit})
	_, err := batch.Process(t.Context(), batchOf(t,
		event("a", 1), event("b", 1), event("c", 1), event("d", 1), event("e", 1), event("f", 1), event("g", 1)))
	require.NoError(t, err)
	require.Equal(t, int64(limit), most.Load())
}

func TestBatchWithoutMessageID(t *testing.T) {
	t.Parallel()
	batch := newBatch(t, func(context.Context, outbox.Event) error { return errors.New("not to be called") }, consume.BatchConfig{})
	input := batchOf(t, event("a", 1), event("a", 2))
	input.Records[1].MessageID = ""
	_, err := batch.Process(t.Context(), input)
	require.ErrorContains(t, err, "no id")

	response, err := batch.Process(t.Context(), consume.SQSEvent{})
	require.NoError(t, err)
	require.NotNil(t, response.BatchItemFailures)
}

func TestBadBatchConfigIsNamed(t *testing.T) {
	t.Parallel()
	handle := func(context.Context, outbox.Event) error { return nil }
	_, err := consume.NewBatch(nil, consume.BatchConfig{})
	require.ErrorContains(t, err, "handle")
	for _, n := range []int{-1, 257} {
		_, err = consume.NewBatch(handle, consume.BatchConfig{Concurrency: n})
		require.ErrorContains(t, err, "Concurrency")
	}
	_, err = consume.NewBatch(handle, consume.BatchConfig{Decoder: consume.Decoder{Envelope: outbox.Envelope{AggregateField: "seq"}}})
	require.ErrorContains(t, err, "AggregateField")
}

// TestBatchSurvivesAPanic: Lambda would deliver the whole batch again, until all of it is in the dead-letter queue.
func TestBatchSurvivesAPanic(t *testing.T) {
	t.Parallel()
	for name, boom := range map[string]func(outbox.Event){
		"value": func(e outbox.Event) { panic(e.Data) },
		"fault": func(e outbox.Event) { _ = e.Data[len(e.Data)] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			told := map[string]error{}
			batch := newBatch(t, func(_ context.Context, e outbox.Event) error {
				if e.AggregateID == "user-1" {
					boom(e)
				}
				return nil
			}, consume.BatchConfig{OnFailure: func(_ context.Context, id string, err error) { told[id] = err }})
			response, err := batch.Process(t.Context(), batchOf(t, event("user-1", 1), event("user-1", 2), event("user-2", 1)))
			require.NoError(t, err)
			require.Equal(t, []string{"user-11", "user-12"}, failures(response))
			require.ErrorIs(t, told["user-11"], consume.ErrPanic)
			require.ErrorIs(t, told["user-12"], consume.ErrBehindFailure)
			require.Contains(t, told["user-11"].Error(), "batch_test.go", "where it was")
			require.Equal(t, name == "fault", strings.Contains(told["user-11"].Error(), "out of range"), "a value may quote the event")
		})
	}
}

// TestNotAnSQSEvent: an answer without failures would have the event deleted.
func TestNotAnSQSEvent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"detail-type":"user.created","detail":{}}`, `{"Records":null}`, `{"Records":7}`, `7`} {
		var event consume.SQSEvent
		require.Error(t, json.Unmarshal([]byte(text), &event), text)
	}
	var event consume.SQSEvent
	require.NoError(t, json.Unmarshal([]byte(`{"Records":[]}`), &event))
}
