package eventbridgepub_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/eventbridgepub"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

func TestSuite(t *testing.T) {
	t.Parallel()
	outboxtest.TestPublisher(t, func(t *testing.T) outboxtest.Fixture {
		b := newBus()
		return outboxtest.Fixture{
			Publisher:   b.publisher(t, eventbridgepub.Config{}),
			Received:    b.received,
			FailEntry:   func(id string) { b.set(func() { b.once[id] = "InternalFailure" }) },
			RejectEntry: func(id string) { b.set(func() { b.always[id] = "MalformedDetail" }) },
			FailCalls: func(fail bool) {
				b.set(func() {
					b.status, b.code = 0, ""
					if fail {
						b.status, b.code = http.StatusServiceUnavailable, "InternalException"
					}
				})
			},
			MaxEventBytes: 256 << 10,
		}
	})
}

// TestRequest holds the bytes of a request to a golden file.
func TestRequest(t *testing.T) {
	t.Parallel()
	b := newBus()
	p := b.publisher(t, eventbridgepub.Config{Bus: "users", Envelope: outbox.Envelope{AggregateField: "userId"}})
	entries := outboxtest.Entries(2)
	for i, id := range []string{"0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01", "0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f02"} {
		entries[i].Event.ID = id
		entries[i].Event.Type = "email.added"
		entries[i].Event.Data = json.RawMessage(`{"emailId":"e1","email":"a&b@example.com"}`)
	}
	_, err := p.Publish(t.Context(), entries)
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, json.Indent(&got, b.requests[0], "", "  "))
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
		"MalformedDetail":                     outbox.Rejected,
		"InvalidArgument":                     outbox.Rejected,
		"ThrottlingException":                 outbox.Retry,
		"InternalFailure":                     outbox.Retry,
		"NotAuthorizedForSourceException":     outbox.Retry,
		"NotAuthorizedForDetailTypeException": outbox.Retry,
		"AccessDeniedException":               outbox.Retry,
		"SomethingNew":                        outbox.Retry,
	} {
		b := newBus()
		entries := outboxtest.Entries(3)
		b.once[entries[1].Event.ID] = code
		results, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), entries)
		require.NoError(t, err)
		require.Equal(t, []outbox.Result{
			{Outcome: outbox.Published},
			{Outcome: want, Code: code, Message: "as the test wants"},
			{Outcome: outbox.Published},
		}, results)
	}
}

// TestBisect has entries that make EventBridge refuse the whole call.
func TestBisect(t *testing.T) {
	t.Parallel()
	for _, poison := range [][]int{{0}, {9}, {4, 5}, {0, 3, 9}} {
		b := newBus()
		entries := outboxtest.Entries(10)
		for _, i := range poison {
			b.poison[entries[i].Event.ID] = true
		}
		results, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), entries)
		require.NoError(t, err)
		var rejected []int
		for i, r := range results {
			if r.Outcome == outbox.Published {
				continue
			}
			require.Equal(t, outbox.Result{Outcome: outbox.Rejected, Code: "ValidationException"}, r)
			rejected = append(rejected, i)
		}
		require.Equal(t, poison, rejected)
		require.Len(t, b.taken, 10-len(poison))
		require.LessOrEqual(t, len(b.calls), 1+8*len(poison))
	}
}

func TestAllRefusedIsNoEventsFault(t *testing.T) {
	t.Parallel()
	b := newBus()
	b.status, b.code = http.StatusBadRequest, "ValidationException"
	p := b.publisher(t, eventbridgepub.Config{})
	results, err := p.Publish(t.Context(), outboxtest.Entries(3))
	require.NoError(t, err)
	for _, r := range results {
		require.Equal(t, outbox.Result{Outcome: outbox.Retry, Code: "ValidationException"}, r)
	}
	results, err = p.Publish(t.Context(), outboxtest.Entries(1))
	require.NoError(t, err)
	require.Equal(t, []outbox.Result{{Outcome: outbox.Rejected, Code: "ValidationException"}}, results)
}

// TestOtherLimit has a bus with a lower limit than the publisher was told: bisecting finds calls that fit.
func TestOtherLimit(t *testing.T) {
	t.Parallel()
	b := newBus()
	b.limit = 256 << 10
	entries := outboxtest.Entries(8)
	for i := range entries {
		entries[i].Event.Data = json.RawMessage(`{"x":"` + strings.Repeat("x", 100<<10) + `"}`)
	}
	entries[5].Event.Data = json.RawMessage(`{"x":"` + strings.Repeat("x", 400<<10) + `"}`)
	p := b.publisher(t, eventbridgepub.Config{MaxEntryBytes: 1 << 20})
	results, err := p.Publish(t.Context(), entries)
	require.NoError(t, err)
	for i, r := range results {
		require.Equal(t, i == 5, r.Outcome == outbox.Rejected, "%d: %+v", i, r)
		require.Equal(t, i != 5, r.Outcome == outbox.Published, "%d: %+v", i, r)
	}
}

func TestCallsFillUp(t *testing.T) {
	t.Parallel()
	b := newBus()
	entries := outboxtest.Entries(24)
	for i := range entries[:8] {
		entries[i].Event.Data = json.RawMessage(`{"x":"` + strings.Repeat("x", 100<<10) + `"}`)
	}
	_, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), entries)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2, 2, 10, 8}, b.calls)
}

func TestHalfKnown(t *testing.T) {
	t.Parallel()
	t.Run("call_fails_after_a_result", func(t *testing.T) {
		t.Parallel()
		b := newBus()
		b.status, b.code = http.StatusInternalServerError, "InternalException"
		entries := outboxtest.Entries(3)
		entries[0].Event.Data = json.RawMessage(`7`)
		results, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), entries)
		require.NoError(t, err)
		require.Equal(t, outbox.Rejected, results[0].Outcome)
		require.Equal(t, "InvalidEvent", results[0].Code)
		require.Equal(t, outbox.Result{Code: "InternalException"}, results[1])
		require.Equal(t, outbox.Result{Code: "InternalException"}, results[2])
	})
	t.Run("wrong_number_of_results", func(t *testing.T) {
		t.Parallel()
		b := newBus()
		b.short = true
		_, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), outboxtest.Entries(3))
		require.ErrorContains(t, err, "one result for each entry")
	})
	t.Run("neither_id_nor_code", func(t *testing.T) {
		t.Parallel()
		b := newBus()
		entries := outboxtest.Entries(1)
		b.once[entries[0].Event.ID] = " "
		results, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), entries)
		require.NoError(t, err)
		require.Equal(t, outbox.Retry, results[0].Outcome)
	})
	t.Run("too_large_for_the_endpoint", func(t *testing.T) {
		t.Parallel()
		b := newBus()
		b.status, b.code = http.StatusRequestEntityTooLarge, "SomeProxy"
		results, err := b.publisher(t, eventbridgepub.Config{}).Publish(t.Context(), outboxtest.Entries(1))
		require.NoError(t, err)
		require.Equal(t, outbox.Rejected, results[0].Outcome)
		require.NotContains(t, results[0].Message, "secret")
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	b := newBus()
	require.NoError(t, b.publisher(t, eventbridgepub.Config{}).Check(t.Context()))
	require.NoError(t, b.publisher(t, eventbridgepub.Config{Bus: "users"}).Check(t.Context()))
	require.ErrorIs(t, b.publisher(t, eventbridgepub.Config{Bus: "missing"}).Check(t.Context()), eventbridgepub.ErrNoBus)
	require.NoError(t, b.publisher(t, eventbridgepub.Config{Bus: "missing", SkipCheck: true}).Check(t.Context()))
	b.status, b.code = http.StatusForbidden, "AccessDeniedException"
	require.ErrorContains(t, b.publisher(t, eventbridgepub.Config{}).Check(t.Context()), "AccessDeniedException")
}

func TestNewNamesTheBadField(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]eventbridgepub.Config{
		"Source":         {},
		"aws":            {Source: "aws.users"},
		"Bus":            {Source: "s", Bus: "my bus"},
		"MaxCallBytes":   {Source: "s", MaxCallBytes: 2 << 20},
		"MaxEntryBytes":  {Source: "s", MaxEntryBytes: 10},
		"AggregateField": {Source: "s", Envelope: outbox.Envelope{AggregateField: "seq"}},
	} {
		_, err := eventbridgepub.New(newBus().client(), cfg)
		require.ErrorContains(t, err, field)
	}
	_, err := eventbridgepub.New(nil, eventbridgepub.Config{Source: "s"})
	require.ErrorContains(t, err, "client")
	_, err = eventbridgepub.New(newBus().client(), eventbridgepub.Config{
		Source: "s", Bus: "arn:aws:events:eu-central-1:123456789012:event-bus/users",
	})
	require.NoError(t, err)
}

// TestWriterAgrees shows that what a writer lets pass is never too large for the publisher.
func TestWriterAgrees(t *testing.T) {
	t.Parallel()
	w, err := outbox.NewWriter(outbox.WriterConfig{Table: outbox.Table{Name: "t"}})
	require.NoError(t, err)
	b := newBus()
	b.limit = 256 << 10
	p := b.publisher(t, eventbridgepub.Config{Source: strings.Repeat("s", 256)})
	e := outboxtest.Entries(1)[0]
	e.Event.Type, e.Event.Time = strings.Repeat("t", 128), time.Now()
	for n := 256<<10 - 2200; ; n += 50 {
		e.Event.Data = json.RawMessage(`{"x":"` + strings.Repeat("x", n) + `"}`)
		if _, err := w.TransactItem(e.Event); err != nil {
			require.ErrorIs(t, err, outbox.ErrInvalidEvent)
			break
		}
		results, err := p.Publish(t.Context(), []outbox.Entry{e})
		require.NoError(t, err)
		require.Equal(t, outbox.Published, results[0].Outcome)
	}
}
