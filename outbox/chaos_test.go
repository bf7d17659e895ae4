package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// chaos is a fleet of relays whose processes die, stand still and are replaced, on a table that throttles and loses replies, with a publisher
// that fails some entries and some calls.
type chaos struct {
	*world
	seed     uint64
	random   *rand.Rand
	recorder *outboxtest.Recorder

	relays sync.WaitGroup
	// lives are all relays that ever were.
	lives []*life
	// inFlight is what was published and not deleted when a relay died or froze.
	inFlight int
}

type life struct {
	process *process
	relay   *outbox.Relay
}

func newChaos(t *testing.T, seed uint64) *chaos {
	return &chaos{world: newWorld(t), seed: seed, random: rand.New(rand.NewPCG(seed, 7)), recorder: unreliable(seed)}
}

// unreliable returns a publisher that fails 5 % of the entries, throttles 2 % of the calls, and loses the answers of 2 %.
func unreliable(seed uint64) *outboxtest.Recorder {
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(seed, 8))
	chance := func(p float64) bool {
		mu.Lock()
		defer mu.Unlock()
		return random.Float64() < p
	}
	fail := func(p float64) func(context.Context, []outbox.Entry) error {
		return func(context.Context, []outbox.Entry) error {
			if chance(p) {
				return errors.New("call failed")
			}
			return nil
		}
	}
	return &outboxtest.Recorder{Before: fail(0.02), After: fail(0.02), Answer: func(outbox.Entry) outbox.Result {
		if chance(0.05) {
			return outbox.Result{Code: "InternalFailure"}
		}
		return outbox.Result{Outcome: outbox.Published}
	}}
}

// start gives birth to a relay.
func (c *chaos) start() *life {
	c.t.Helper()
	number := uint64(len(c.lives))
	table, err := faults.New(c.db.Transport(), faults.Plan{
		Seed: c.seed<<8 + number, MaxInRow: 6,
		Conflict: 0.02, PartConflict: 0.02, Throttle: 0.02, Internal: 0.02, LoseRequest: 0.02, LoseReply: 0.04, Unprocessed: 0.1,
	})
	require.NoError(c.t, err)
	ctx, die := context.WithCancel(c.t.Context())
	l := &life{process: &process{table: table, publisher: c.recorder, die: die}}
	client := c.db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: l.process} })
	l.relay = c.relay(client, l.process, outbox.RelayConfig{Name: fmt.Sprint(number)})
	c.lives = append(c.lives, l)
	c.relays.Go(func() { _ = l.relay.Run(ctx) }) // what the dead say does not count
	return l
}

// end kills the relays and counts what they leave half done.
func (c *chaos) end(lives ...*life) {
	for _, l := range lives {
		l.process.kill()
	}
	c.count()
	<-time.After(15 * time.Second) // their requests on the way have arrived
}

// count notes what is published and not deleted: what is in flight of a relay that was just killed or frozen, and of the others. It does so
// once what is being executed has ended, and before anybody takes over.
func (c *chaos) count() {
	<-time.After(time.Millisecond)
	c.inFlight += publishedAndWaiting(c.world, c.recorder.Events())
}

func TestRelaysUnderChaos(t *testing.T) {
	t.Parallel()
	seeds := uint64(6)
	if underRace {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprintf("seed_%d", seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { underChaos(t, seed) })
		})
	}
}

func underChaos(t *testing.T, seed uint64) {
	c := newChaos(t, seed)
	fleet := []*life{c.start(), c.start()}
	if seed%2 == 1 {
		fleet = append(fleet, c.start())
	}
	ids := users(12)
	for step := range 60 {
		c.together(func() {
			for range 1 + c.random.IntN(8) {
				c.commit(ids[c.random.IntN(len(ids))], 1+c.random.IntN(3))
			}
		})
		<-time.After(time.Duration(c.random.IntN(1500)) * time.Millisecond)
		victim := c.random.IntN(len(fleet))
		switch {
		case step%20 == 10:
			c.end(fleet[victim])
			fleet[victim] = c.start()
		case step%20 == 5: // longer than the lease: its shards are taken while it has calls on the way
			fleet[victim].process.freeze(12 * time.Second)
			c.count()
		}
	}
	c.end(fleet...)
	c.relays.Wait()
	c.finish()
}

// finish lets a sound relay do the rest, and judges the whole.
func (c *chaos) finish() {
	c.t.Helper()
	last := &outboxtest.Recorder{}
	require.NoError(c.t, c.relay(c.client, last, outbox.RelayConfig{}).RunOnce(c.t.Context()))
	<-time.After(time.Minute) // the longest back-off that a relay may have stored
	require.NoError(c.t, c.relay(c.client, last, outbox.RelayConfig{}).RunOnce(c.t.Context()))
	mayRepeat := c.inFlight
	for _, l := range c.lives {
		mayRepeat += int(l.relay.Stats().Suspected) + l.process.lateEntries()
	}
	published := append(c.recorder.Events(), last.Events()...)
	c.requireAllPublished(published, mayRepeat)
	c.t.Logf("events %d, repeated %d of at most %d, relays %d",
		len(c.committed), outboxtest.Compare(c.committed, published).Repeated, mayRepeat, len(c.lives))
}
