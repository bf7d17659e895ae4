package outboxtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	var committed []outbox.Event
	for i, e := range outboxtest.Entries(4) {
		e.Event.AggregateID, e.Event.Seq = "a", int64(i)+1
		committed = append(committed, e.Event)
	}
	a, b, c, d := committed[0], committed[1], committed[2], committed[3]
	changed := b
	changed.CorrelationID = "other"
	stranger := outboxtest.Entries(1)[0].Event
	for name, tc := range map[string]struct {
		published []outbox.Event
		want      outboxtest.Report
	}{
		"right":        {[]outbox.Event{a, b, c, d}, outboxtest.Report{}},
		"lost":         {[]outbox.Event{a, c}, outboxtest.Report{Lost: []string{b.ID, d.ID}}},
		"invented":     {[]outbox.Event{a, b, stranger, c, d}, outboxtest.Report{Invented: []string{stranger.ID}}},
		"changed":      {[]outbox.Event{a, changed, c, d}, outboxtest.Report{Invented: []string{b.ID}}},
		"repeated":     {[]outbox.Event{a, b, a, b, c, d, d}, outboxtest.Report{Repeated: 3}},
		"out_of_order": {[]outbox.Event{a, c, b, d}, outboxtest.Report{OutOfOrder: []string{b.ID}}},
	} {
		require.Equal(t, tc.want, outboxtest.Compare(committed, tc.published), name)
	}
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	down, lost := errors.New("down"), errors.New("lost")
	entries := outboxtest.Entries(3)
	r := &outboxtest.Recorder{Answer: func(e outbox.Entry) outbox.Result {
		if e.DeduplicationID == entries[1].DeduplicationID {
			return outbox.Result{Outcome: outbox.Rejected, Code: "Bad"}
		}
		return outbox.Result{Outcome: outbox.Published}
	}}
	results, err := r.Publish(t.Context(), entries)
	require.NoError(t, err)
	require.Equal(t, []outbox.Result{{Outcome: outbox.Published}, {Outcome: outbox.Rejected, Code: "Bad"}, {Outcome: outbox.Published}}, results)
	require.Equal(t, []outbox.Event{entries[0].Event, entries[2].Event}, r.Events())

	r.Before = func(context.Context, []outbox.Entry) error { return down }
	_, err = r.Publish(t.Context(), entries)
	require.ErrorIs(t, err, down)
	require.Equal(t, []int{3}, r.Calls())
	r.Before, r.After = nil, func(context.Context, []outbox.Entry) error { return lost }
	_, err = r.Publish(t.Context(), entries[:1])
	require.ErrorIs(t, err, lost)
	require.Len(t, r.Events(), 3, "published, although the answer was lost")
}

// TestSuiteOnTheRecorder shows that a publisher with limits of a kind of its own passes.
func TestSuiteOnTheRecorder(t *testing.T) {
	t.Parallel()
	outboxtest.TestPublisher(t, newMemoryFixture)
}
