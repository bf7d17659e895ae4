package outbox_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

func (w *world) admin() *outbox.Admin {
	w.t.Helper()
	admin, err := outbox.NewAdmin(w.client, outbox.AdminConfig{Table: outbox.Table{Name: tableName}, Shards: testShards})
	require.NoError(w.t, err)
	return admin
}

// collect returns what an admin lists.
func collect(t *testing.T, packs iter.Seq2[outbox.Pack, error]) []outbox.Pack {
	t.Helper()
	var all []outbox.Pack
	for p, err := range packs {
		require.NoError(t, err)
		all = append(all, p)
	}
	return all
}

// total adds up the depths of all shards.
func total(t *testing.T, admin *outbox.Admin) outbox.Depth {
	t.Helper()
	depths, err := admin.Depth(t.Context())
	require.NoError(t, err)
	require.Len(t, depths, testShards)
	var sum outbox.Depth
	for i, d := range depths {
		require.Equal(t, i, d.Shard)
		sum.Waiting += d.Waiting
		sum.Held += d.Held
		sum.Failing += d.Failing
		sum.Dead += d.Dead
		if !d.Oldest.IsZero() && (sum.Oldest.IsZero() || d.Oldest.Before(sum.Oldest)) {
			sum.Oldest = d.Oldest
		}
	}
	return sum
}

// cured is a publisher's answer that rejects poison until a flag is set.
func cured(healthy *bool) func(outbox.Entry) outbox.Result {
	return func(e outbox.Entry) outbox.Result {
		if e.Event.Type == "poison" && !*healthy {
			return outbox.Result{Outcome: outbox.Rejected, Code: "MalformedDetail", Message: "Detail is malformed.\n"}
		}
		return outbox.Result{Outcome: outbox.Published}
	}
}

// poisoned commits events of ten users, of which one has a poisonous event between good ones.
func poisoned(w *world) {
	for range 3 {
		for _, id := range users(10) {
			w.commit(id, 1)
		}
	}
	w.commitOfType("user-03", "poison", 1)
	for range 3 {
		for _, id := range users(10) {
			w.commit(id, 2)
		}
	}
}

func TestDeadLetter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, healthy := newWorld(t), false
		recorder := &outboxtest.Recorder{Answer: cured(&healthy)}
		poisoned(w)
		relay := w.relay(w.client, recorder, outbox.RelayConfig{})
		require.NoError(t, relay.RunOnce(t.Context()))
		require.Len(t, outboxtest.Compare(w.committed, recorder.Events()).Lost, 1, "only the poison is not published")
		require.EqualValues(t, 1, relay.Stats().DeadLettered)
		require.Equal(t, map[string]int64{"MalformedDetail": 1}, relay.Stats().Failures)

		admin := w.admin()
		require.Equal(t, outbox.Depth{Dead: 1}, total(t, admin))
		dead := collect(t, admin.Dead(t.Context(), ""))
		require.Len(t, dead, 1)
		require.Equal(t, "user-03", dead[0].AggregateID)
		require.Equal(t, "poison", dead[0].Events[0].Type)
		require.EqualValues(t, 4, dead[0].Events[0].Seq)
		require.Equal(t, "MalformedDetail: Detail is malformed.?", dead[0].Error)
		require.Equal(t, 1, dead[0].Attempts)
		require.False(t, dead[0].FirstFailedAt.IsZero())
		require.Empty(t, collect(t, admin.Dead(t.Context(), "user-04")))

		healthy = true
		redriven, err := admin.Redrive(t.Context(), "user-03")
		require.NoError(t, err)
		require.Equal(t, outbox.Redriven{Returned: 1}, redriven)
		require.NoError(t, relay.RunOnce(t.Context()))
		report := outboxtest.Compare(w.committed, recorder.Events())
		require.Empty(t, report.Lost)
		require.Zero(t, report.Repeated)
		require.Len(t, report.OutOfOrder, 1, "it comes after what was published meanwhile")
		require.Equal(t, outbox.Depth{}, total(t, admin))
	})
}

func TestHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, healthy := newWorld(t), false
		recorder := &outboxtest.Recorder{Answer: cured(&healthy)}
		poisoned(w)
		relay := w.relay(w.client, recorder, outbox.RelayConfig{
			Publishing: outbox.Publishing{Policies: map[string]outbox.Policy{"poison": outbox.Hold}},
		})
		for range 2 { // the second run leaves it alone
			require.NoError(t, relay.RunOnce(t.Context()))
			require.Len(t, outboxtest.Compare(w.committed, recorder.Events()).Lost, 7, "the poison and what is behind it")
			require.EqualValues(t, 1, relay.Stats().Held)
			<-time.After(time.Hour)
		}
		admin := w.admin()
		depth := total(t, admin)
		require.Equal(t, 4, depth.Waiting)
		require.Equal(t, 1, depth.Held)
		waiting := collect(t, admin.Waiting(t.Context(), "user-03"))
		require.Len(t, waiting, 4)
		require.False(t, waiting[0].HeldAt.IsZero())
		require.Equal(t, "MalformedDetail: Detail is malformed.?", waiting[0].Error)

		healthy = true
		redriven, err := admin.RedriveAll(t.Context())
		require.NoError(t, err)
		require.Equal(t, outbox.Redriven{Released: 1}, redriven)
		require.NoError(t, relay.RunOnce(t.Context()))
		w.requireAllPublished(recorder.Events(), 0)
	})
}

func TestDeadLetterFromTheMiddleOfAPack(t *testing.T) {
	t.Parallel()
	for position := range 3 {
		synctest.Test(t, func(t *testing.T) {
			w, healthy := newWorld(t), false
			w.commit("user-1", 3)
			w.commit("user-1", 1)
			bad := w.committed[position].ID
			answer := func(e outbox.Entry) outbox.Result {
				if e.DeduplicationID == bad && !healthy {
					return outbox.Result{Outcome: outbox.Rejected, Code: "MalformedDetail"}
				}
				return outbox.Result{Outcome: outbox.Published}
			}
			recorder := &outboxtest.Recorder{Answer: answer}
			relay := w.relay(w.client, recorder, outbox.RelayConfig{})
			require.NoError(t, relay.RunOnce(t.Context()))
			report := outboxtest.Compare(w.committed, recorder.Events())
			require.Equal(t, []string{bad}, report.Lost)
			require.Empty(t, w.waiting())
			require.Len(t, w.dead(), 1)

			healthy = true
			_, err := w.admin().Redrive(t.Context(), "user-1")
			require.NoError(t, err)
			require.NoError(t, relay.RunOnce(t.Context()))
			report = outboxtest.Compare(w.committed, recorder.Events())
			require.Empty(t, report.Lost)
			require.Zero(t, report.Repeated)
			require.Empty(t, append(w.waiting(), w.dead()...))
		})
	}
}

// TestRedriveWaitsForThePack has a dead letter that cannot go back while the rest of its pack waits under the same key.
func TestRedriveWaitsForThePack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commit("user-1", 2)
		recorder := &outboxtest.Recorder{Answer: func(outbox.Entry) outbox.Result {
			return outbox.Result{Outcome: outbox.Rejected, Code: "Dead"}
		}}
		policy := map[string]outbox.Policy{"user.updated": outbox.DeadLetter}
		cfg := outbox.RelayConfig{Publishing: outbox.Publishing{Policies: policy, DefaultPolicy: outbox.Hold}}
		recorder.Answer = func(e outbox.Entry) outbox.Result {
			if e.Event.Seq == 1 {
				return outbox.Result{Outcome: outbox.Rejected, Code: "Dead"}
			}
			return outbox.Result{Code: "InternalFailure"}
		}
		require.NoError(t, w.relay(w.client, recorder, cfg).RunOnce(t.Context()))
		require.Equal(t, outbox.Depth{Waiting: 1, Failing: 1, Dead: 1, Oldest: total(t, w.admin()).Oldest}, total(t, w.admin()))

		redriven, err := w.admin().Redrive(t.Context(), "user-1")
		require.NoError(t, err)
		require.Equal(t, outbox.Redriven{Released: 1, Left: 1}, redriven)
		recorder.Answer = nil
		for _, want := range []outbox.Redriven{{Returned: 1}, {}} {
			require.NoError(t, w.relay(w.client, recorder, cfg).RunOnce(t.Context()))
			redriven, err = w.admin().Redrive(t.Context(), "user-1")
			require.NoError(t, err)
			require.Equal(t, want, redriven)
		}
		require.Equal(t, []int64{2, 1}, seqsOf(recorder.Events()))
	})
}

func seqsOf(events []outbox.Event) []int64 {
	var seqs []int64
	for _, e := range events {
		seqs = append(seqs, e.Seq)
	}
	return seqs
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, healthy := newWorld(t), false
		w.commitOfType("user-1", "poison", 1)
		require.NoError(t, w.relay(w.client, &outboxtest.Recorder{Answer: cured(&healthy)}, outbox.RelayConfig{}).RunOnce(t.Context()))
		require.ErrorIs(t, w.admin().Discard(t.Context(), "user-1", 2), outbox.ErrNotFound)
		require.NoError(t, w.admin().Discard(t.Context(), "user-1", 1))
		require.ErrorIs(t, w.admin().Discard(t.Context(), "user-1", 1), outbox.ErrNotFound)
		require.Equal(t, outbox.Depth{}, total(t, w.admin()))
	})
}

func TestMaxAttempts(t *testing.T) {
	t.Parallel()
	for _, policy := range []outbox.Policy{outbox.DeadLetter, outbox.Hold} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.commit("user-1", 1)
			recorder := &outboxtest.Recorder{Answer: func(outbox.Entry) outbox.Result { return outbox.Result{Code: "InternalFailure"} }}
			relay := w.relay(w.client, recorder, outbox.RelayConfig{Publishing: outbox.Publishing{MaxAttempts: 7, DefaultPolicy: policy}})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			require.NoError(t, relay.Run(ctx))
			require.Len(t, recorder.Calls(), 7)
			depth := total(t, w.admin())
			require.Equal(t, policy == outbox.Hold, depth.Held == 1)
			require.Equal(t, policy == outbox.DeadLetter, depth.Dead == 1)
		})
	}
}

// TestOneEventBreaksItsCalls has an event that fails every call it is in, as a whole.
func TestOneEventBreaksItsCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.commitOfType("user-00", "bomb", 1)
		for _, id := range users(30)[1:] {
			w.commit(id, 2)
		}
		isBomb := func(e outbox.Entry) bool { return e.Event.Type == "bomb" }
		recorder := &outboxtest.Recorder{Before: func(_ context.Context, entries []outbox.Entry) error {
			if slices.ContainsFunc(entries, isBomb) {
				return errors.New("connection reset")
			}
			return nil
		}}
		relay := w.relay(w.client, recorder, outbox.RelayConfig{Publishing: outbox.Publishing{MaxAttempts: 4}})
		stop := w.run(relay)
		for range 60 {
			<-time.After(time.Second)
			require.Len(t, outboxtest.Compare(w.committed, recorder.Events()).Lost, 1, "nobody else waits for it")
			w.commit("user-01", 1)
		}
		require.NoError(t, stop())
		require.EqualValues(t, 1, relay.Stats().DeadLettered)
	})
}
