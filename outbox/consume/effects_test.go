package consume_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox/consume"
)

// clock is a time that tests move.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.nanos.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) Now() time.Time          { return time.Unix(0, c.nanos.Load()) }
func (c *clock) Advance(d time.Duration) { c.nanos.Add(int64(d)) }

func (w *world) effects(t *testing.T, c *clock) *consume.Effects {
	t.Helper()
	effects, err := consume.NewEffects(w.client, consume.EffectsConfig{
		Table: consume.Table{Name: "foreign", PartitionKey: "id", SortKey: "part"}, TTLAttribute: "expires", Now: c.Now,
	})
	require.NoError(t, err)
	return effects
}

// mailer is the receiver of an effect. It drops repetitions by the idempotency key.
type mailer struct {
	mu     sync.Mutex
	sent   map[string]int
	fences []int64
}

func (m *mailer) send(_ context.Context, c consume.Claim) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sent == nil {
		m.sent = map[string]int{}
	}
	m.sent[c.IdempotencyKey]++
	m.fences = append(m.fences, c.Fence)
	return nil
}

func TestEffectIsMadeOnce(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	effects, e := w.effects(t, c), event("a", 1)
	outcome, err := effects.Do(t.Context(), e, m.send)
	require.NoError(t, err)
	require.Equal(t, consume.Applied, outcome)
	w.requireUpdates(t, 2)
	for range 3 {
		c.Advance(time.Hour)
		outcome, err = effects.Do(t.Context(), e, m.send)
		require.NoError(t, err)
		require.Equal(t, consume.Duplicate, outcome)
	}
	w.requireUpdates(t, 5)
	require.Equal(t, map[string]int{e.ID: 1}, m.sent)
	require.Equal(t, consume.Item{
		"id": s("EFFECT#" + e.ID), "part": s("EFFECT"), "fence": n(1), "doneAt": n(1767323045000), "expires": n(1767323045 + 30*24*3600),
	}, w.get(t, "EFFECT#"+e.ID, "EFFECT"))
}

func TestEffectInProgress(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	effects, e := w.effects(t, c), event("a", 1)
	outcome, err := effects.Do(t.Context(), e, func(ctx context.Context, claim consume.Claim) error {
		c.Advance(time.Minute - time.Millisecond)
		_, err := effects.Do(ctx, e, m.send)
		require.ErrorIs(t, err, consume.ErrInProgress)
		return m.send(ctx, claim)
	})
	require.NoError(t, err)
	require.Equal(t, consume.Applied, outcome)
	require.Equal(t, map[string]int{e.ID: 1}, m.sent)
}

// TestEffectTakenOver has a holder whose lease runs out while it acts. The fence of the one that takes over is higher.
func TestEffectTakenOver(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		second  error // of the one that takes over
		outcome consume.Outcome
		want    error
	}{
		"which_completes": {nil, consume.Duplicate, nil},
		"which_fails":     {errors.New("no mail today"), consume.Unknown, consume.ErrClaimLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
			effects, e := w.effects(t, c), event("a", 1)
			outcome, err := effects.Do(t.Context(), e, func(ctx context.Context, claim consume.Claim) error {
				c.Advance(time.Minute)
				_, err := effects.Do(ctx, e, func(ctx context.Context, claim consume.Claim) error {
					return errors.Join(m.send(ctx, claim), tc.second)
				})
				require.ErrorIs(t, err, tc.second)
				return m.send(ctx, claim)
			})
			require.ErrorIs(t, err, tc.want)
			require.Equal(t, tc.outcome, outcome)
			require.Equal(t, []int64{2, 1}, m.fences)
		})
	}
}

// TestFailedEffectIsTriedAtOnce needs no wait for the end of the lease.
func TestFailedEffectIsTriedAtOnce(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	effects, e, broken := w.effects(t, c), event("a", 1), errors.New("broken")
	outcome, err := effects.Do(t.Context(), e, func(context.Context, consume.Claim) error { return broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, consume.Unknown, outcome)
	outcome, err = effects.Do(t.Context(), e, m.send)
	require.NoError(t, err)
	require.Equal(t, consume.Applied, outcome)
	require.Equal(t, []int64{2}, m.fences)
}

func TestDeadHolderIsTakenOver(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	holder := &world{client: w.db.Client(func(o *dynamodb.Options) {
		o.HTTPClient, o.Retryer = &http.Client{Transport: w.transport}, aws.NopRetryer{}
	})}
	effects, e, dead := w.effects(t, c), event("a", 1), errors.New("dead")
	_, err := holder.effects(t, c).Do(t.Context(), e, func(context.Context, consume.Claim) error {
		w.transport.Next(faults.LoseRequest{}, nil) // nothing is heard of it any more
		return dead
	})
	require.ErrorIs(t, err, dead)
	_, err = effects.Do(t.Context(), e, m.send)
	require.ErrorIs(t, err, consume.ErrInProgress)
	c.Advance(time.Minute)
	outcome, err := effects.Do(t.Context(), e, m.send)
	require.NoError(t, err)
	require.Equal(t, consume.Applied, outcome)
}

// TestEffectWithLostReplies loses the reply to the claim and to the note: the SDK's retry finds its own write.
func TestEffectWithLostReplies(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	w.transport.Next(faults.LoseReply{}, nil)
	w.transport.Next(nil, nil) // the retry of the claim
	w.transport.Next(faults.LoseReply{}, nil)
	e := event("a", 1)
	outcome, err := w.effects(t, c).Do(t.Context(), e, m.send)
	require.NoError(t, err)
	require.Equal(t, consume.Applied, outcome)
	require.Zero(t, w.transport.Pending())
	require.Equal(t, map[string]int{e.ID: 1}, m.sent)
	require.Equal(t, []int64{1}, m.fences)
}

func TestEffectsConcurrently(t *testing.T) {
	t.Parallel()
	w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
	effects, e := w.effects(t, c), event("a", 1)
	var running sync.WaitGroup
	var applied atomic.Int64
	for range 16 {
		running.Go(func() {
			switch outcome, err := effects.Do(t.Context(), e, m.send); {
			case outcome == consume.Applied:
				applied.Add(1)
			case err != nil && !errors.Is(err, consume.ErrInProgress):
				t.Error(err)
			}
		})
	}
	running.Wait()
	require.Equal(t, int64(1), applied.Load())
	require.Equal(t, map[string]int{e.ID: 1}, m.sent)
}

func TestActEndsWithTheLease(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	before := time.Now()
	_, err := w.effects(t, newClock()).Do(t.Context(), event("a", 1), func(ctx context.Context, _ consume.Claim) error {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		require.WithinRange(t, deadline, before, time.Now().Add(time.Minute))
		return nil
	})
	require.NoError(t, err)
}

func TestDamagedClaim(t *testing.T) {
	t.Parallel()
	w, c := newWorld(t, faults.Plan{}), newClock()
	e := event("a", 1)
	_, err := w.effects(t, c).Do(t.Context(), e, func(context.Context, consume.Claim) error {
		w.put(t, consume.Item{"id": s("EFFECT#" + e.ID), "part": s("EFFECT"), "doneAt": n(1), "fence": &types.AttributeValueMemberN{Value: "0.5"}})
		return nil
	})
	require.ErrorIs(t, err, consume.ErrDamaged)
}

func TestBadEffectsConfigIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	for field, spoil := range map[string]func(*consume.EffectsConfig){
		"Table.Name":   func(c *consume.EffectsConfig) { c.Table.Name = "" },
		"Lease":        func(c *consume.EffectsConfig) { c.Lease = time.Millisecond },
		"Retention":    func(c *consume.EffectsConfig) { c.Retention = time.Hour },
		`"doneAt"`:     func(c *consume.EffectsConfig) { c.TTLAttribute = "doneAt" },
		`"PK"`:         func(c *consume.EffectsConfig) { c.TTLAttribute = "PK" },
		`name "fence"`: func(c *consume.EffectsConfig) { c.Table.PartitionKey = "fence" },
	} {
		cfg := consume.EffectsConfig{Table: consume.Table{Name: "x"}}
		spoil(&cfg)
		_, err := consume.NewEffects(w.client, cfg)
		require.ErrorContains(t, err, field)
	}
	_, err := consume.NewEffects(nil, consume.EffectsConfig{Table: consume.Table{Name: "x"}})
	require.ErrorContains(t, err, "client")
}

func TestEffectOfAMalformedEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	e := event("a", 1)
	e.ID = ""
	_, err := w.effects(t, newClock()).Do(t.Context(), e, (&mailer{}).send)
	require.ErrorIs(t, err, consume.ErrMalformed)
	w.requireUpdates(t, 0)
}

// TestEffectAtShutdown ends the caller's context while the effect is made: what became of it is noted all the same.
func TestEffectAtShutdown(t *testing.T) {
	t.Parallel()
	t.Run("made", func(t *testing.T) {
		t.Parallel()
		w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
		effects, e := w.effects(t, c), event("a", 1)
		ctx, shutDown := context.WithCancel(t.Context())
		outcome, err := effects.Do(ctx, e, func(ctx context.Context, claim consume.Claim) error {
			shutDown()
			return m.send(ctx, claim)
		})
		require.NoError(t, err)
		require.Equal(t, consume.Applied, outcome)
		outcome, err = effects.Do(t.Context(), e, m.send)
		require.NoError(t, err)
		require.Equal(t, consume.Duplicate, outcome)
		require.Equal(t, map[string]int{e.ID: 1}, m.sent)
	})
	t.Run("given_up", func(t *testing.T) {
		t.Parallel()
		w, c, m := newWorld(t, faults.Plan{}), newClock(), &mailer{}
		effects, e := w.effects(t, c), event("a", 1)
		ctx, shutDown := context.WithCancel(t.Context())
		_, err := effects.Do(ctx, e, func(ctx context.Context, _ consume.Claim) error {
			shutDown()
			return ctx.Err()
		})
		require.ErrorIs(t, err, context.Canceled)
		outcome, err := effects.Do(t.Context(), e, m.send)
		require.NoError(t, err, "the claim was given back at once")
		require.Equal(t, consume.Applied, outcome)
	})
}
