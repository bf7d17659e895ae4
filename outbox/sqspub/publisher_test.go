package sqspub_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
	"github.com/usercore-go/usercore/outbox/sqspub"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func TestSuite(t *testing.T) {
	t.Parallel()
	outboxtest.TestPublisher(t, func(t *testing.T) outboxtest.Fixture {
		q := newQueue()
		return outboxtest.Fixture{
			Publisher:   q.publisher(t, sqspub.Config{}),
			Received:    q.received,
			FailEntry:   func(id string) { q.set(func() { q.once[id] = "InternalError" }) },
			RejectEntry: func(id string) { q.set(func() { q.always[id] = "InvalidParameterValue" }) },
			FailCalls: func(fail bool) {
				q.set(func() {
					q.status, q.code = 0, ""
					if fail {
						q.status, q.code = http.StatusServiceUnavailable, "ServiceUnavailable"
					}
				})
			},
			MaxEventBytes: 392 << 10,
		}
	})
}

// TestRequest holds the bytes of a request to a golden file.
func TestRequest(t *testing.T) {
	t.Parallel()
	q := newQueue()
	p := q.publisher(t, sqspub.Config{Envelope: outbox.Envelope{AggregateField: "userId"}})
	entries := outboxtest.Entries(2)
	for i, id := range []string{"0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01", "0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f02"} {
		entries[i].Event.ID, entries[i].DeduplicationID = id, id
		entries[i].Event.Data = json.RawMessage("{\"email\":\"a&b@example.com\",\"odd\":\"\uFFFE\uFFFF\"}")
	}
	_, err := p.Publish(t.Context(), entries)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, q.requests[0], "", "  "))
	got.WriteByte('\n')
	path := filepath.Join("testdata", "request.json")
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]outbox.Outcome{
		"InvalidMessageContents": outbox.Rejected,
		"InvalidParameterValue":  outbox.Rejected,
		"InternalError":          outbox.Retry,
		"ThrottlingException":    outbox.Retry,
		"AccessDenied":           outbox.Retry,
	} {
		q := newQueue()
		entries := outboxtest.Entries(3)
		q.once[entries[1].Event.ID] = "AWS.SimpleQueueService." + code
		results, err := q.publisher(t, sqspub.Config{}).Publish(t.Context(), entries)
		require.NoError(t, err)
		require.Equal(t, []outbox.Result{
			{Outcome: outbox.Published},
			{Outcome: want, Code: code, Message: "as the test wants"},
			{Outcome: outbox.Published},
		}, results)
	}
}

func TestEntryWithoutResultIsSentAgain(t *testing.T) {
	t.Parallel()
	q := newQueue()
	entries := outboxtest.Entries(2)
	q.silent[entries[0].Event.ID] = true
	results, err := q.publisher(t, sqspub.Config{}).Publish(t.Context(), entries)
	require.NoError(t, err)
	require.Equal(t, []outbox.Result{{Code: "NoResult"}, {Outcome: outbox.Published}}, results)
}

func TestRefusedCallIsHalved(t *testing.T) {
	t.Parallel()
	q := newQueue()
	entries := outboxtest.Entries(10)
	q.poison[entries[6].Event.ID] = true
	results, err := q.publisher(t, sqspub.Config{}).Publish(t.Context(), entries)
	require.NoError(t, err)
	for i, r := range results {
		require.Equal(t, i == 6, r.Outcome == outbox.Rejected)
	}
	require.Len(t, q.taken, 9)
}

func TestRepeatedEventIsDropped(t *testing.T) {
	t.Parallel()
	q := newQueue()
	p, entries := q.publisher(t, sqspub.Config{}), outboxtest.Entries(3)
	for range 2 {
		_, err := p.Publish(t.Context(), entries)
		require.NoError(t, err)
	}
	require.Len(t, q.taken, 3)
	for i, m := range q.taken {
		require.Equal(t, entries[i].GroupID, m.MessageGroupId)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	q := newQueue()
	require.NoError(t, q.publisher(t, sqspub.Config{}).Check(t.Context()))
	require.ErrorIs(t, q.publisher(t, sqspub.Config{QueueURL: standardURL}).Check(t.Context()), sqspub.ErrNotFIFO)
	require.ErrorIs(t, q.publisher(t, sqspub.Config{QueueURL: standardURL + "x"}).Check(t.Context()), sqspub.ErrNoQueue)
	require.NoError(t, q.publisher(t, sqspub.Config{QueueURL: standardURL, SkipCheck: true}).Check(t.Context()))
	q.status, q.code = http.StatusForbidden, "AccessDenied"
	require.ErrorContains(t, q.publisher(t, sqspub.Config{}).Check(t.Context()), "AccessDenied")
}

func TestNewNamesTheBadField(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]sqspub.Config{
		"QueueURL":        {Source: "s"},
		"Source is":       {QueueURL: fifoURL},
		"Source is not":   {QueueURL: fifoURL, Source: strings.Repeat("s", 257)},
		"MaxMessageBytes": {QueueURL: fifoURL, Source: "s", MaxMessageBytes: 2 << 20},
		"AggregateField":  {QueueURL: fifoURL, Source: "s", Envelope: outbox.Envelope{AggregateField: "seq"}},
	} {
		_, err := sqspub.New(newQueue().client(), cfg)
		require.ErrorContains(t, err, field)
	}
	_, err := sqspub.New(nil, sqspub.Config{QueueURL: fifoURL, Source: "s"})
	require.ErrorContains(t, err, "client")
}
