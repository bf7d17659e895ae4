package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/usercore-go/usercore/internal/suite"
)

const (
	// round is the time between two releases on the bubble's clock. It is longer than the longest back-off, so every pause has
	// ended at the next release, however long it was: the random length of pauses does not show in a history.
	round = 500 * time.Millisecond
	// afterRound puts a deadline just behind a release: every pause of an operation that is refused then is too long, and every
	// pause that begins at the release before ends in time. So the random length of pauses does not decide who meets a deadline.
	afterRound = time.Nanosecond
	// tick is how much the stores' clock moves with each release. Two decisions never share a second, so the second at which a
	// code expires names it.
	tick = time.Second
)

// jumps are the distances by which the stores' clock leaps now and then: past the life of a code, an hour's limits, the lease
// of a claim, the retention of a deleted account.
var jumps = []time.Duration{6 * time.Minute, 20 * time.Minute, time.Hour + time.Minute, 3 * time.Hour}

const (
	jumpChance   = 0.01
	cancelChance = 0.004
)

// scheduler lets one worker act at a time: start an operation, or have one request answered. Who is next depends on the seed.
type scheduler struct {
	random *rand.Rand
	clock  *suite.Clock

	mu     sync.Mutex
	parked []*parked
	active int // workers that have not ended
	over   bool
	trace  []string
}

// parked is a worker that waits for its turn.
type parked struct {
	worker int
	what   string
	turn   chan struct{}
	cancel context.CancelFunc
}

// workerKey is the context key of the operation that a request belongs to.
type workerKey struct{}

// running is an operation under way.
type running struct {
	worker int
	cancel context.CancelFunc
}

func newScheduler(seed uint64, workers int) *scheduler {
	return &scheduler{random: rand.New(rand.NewPCG(seed, 1)), active: workers}
}

// wait parks the caller until it is its turn.
func (s *scheduler) wait(ctx context.Context, what string) error {
	op, ok := ctx.Value(workerKey{}).(running)
	if !ok {
		return nil // not a worker: the checks at the end
	}
	p := &parked{worker: op.worker, what: what, turn: make(chan struct{}), cancel: op.cancel}
	s.mu.Lock()
	s.parked = append(s.parked, p)
	s.mu.Unlock()
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		s.leave(p)
		return ctx.Err()
	}
}

func (s *scheduler) leave(p *parked) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parked = slices.DeleteFunc(s.parked, func(other *parked) bool { return other == p })
}

// ended says that a worker has no more operations.
func (s *scheduler) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
}

// idleRounds is how many rounds in a row nobody may want a turn: a pause of the SDK's client or of the library ends within one.
const idleRounds = 10

// run releases workers until all have ended, and the faults with them. It is an error when a worker neither ends nor acts.
func (s *scheduler) run() error {
	for idle := 0; idle < idleRounds; {
		time.Sleep(round)
		synctest.Wait()
		released, done := s.release()
		if done {
			return nil
		}
		if idle++; released {
			idle = 0
		}
	}
	return fmt.Errorf("for %d rounds no worker has sent anything: one hangs", idleRounds)
}

// release gives one worker its turn and moves the stores' clock. Now and then the caller of an operation gives up instead.
func (s *scheduler) release() (released, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == 0 {
		s.over = true
		return false, true
	}
	if len(s.parked) == 0 {
		return false, false
	}
	slices.SortFunc(s.parked, func(a, b *parked) int { return a.worker - b.worker })
	i := s.random.IntN(len(s.parked))
	p := s.parked[i]
	s.parked = slices.Delete(s.parked, i, i+1)
	s.clock.Advance(tick)
	if s.random.Float64() < jumpChance {
		s.clock.Advance(jumps[s.random.IntN(len(jumps))])
	}
	if s.random.Float64() < cancelChance {
		s.trace = append(s.trace, fmt.Sprintf("%d gives up before %s", p.worker, p.what))
		p.cancel()
		return true, false
	}
	s.trace = append(s.trace, fmt.Sprintf("%d %s", p.worker, p.what))
	close(p.turn)
	return true, false
}

// faulty says whether requests meet faults: not any more once the workers have ended.
func (s *scheduler) faulty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.over
}

// above is the transport that makes each try of a request wait for its turn.
func (s *scheduler) above(next http.RoundTripper) http.RoundTripper {
	return turns{scheduler: s, next: next}
}

type turns struct {
	scheduler *scheduler
	next      http.RoundTripper
}

// RoundTrip sends the request when it is its turn.
func (t turns) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.scheduler.wait(req.Context(), req.Header.Get("X-Amz-Target")); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // a RoundTripper closes the body in every case; nothing was read from it
		}
		return nil, err
	}
	return t.next.RoundTrip(req)
}
