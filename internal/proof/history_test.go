package proof

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

const (
	workers      = 5
	opsPerWorker = 30
	accounts     = 4
	addresses    = 5

	// patient is the deadline of most operations, in rounds; hurried ones meet theirs while others keep them waiting.
	patient     = 1200
	hurried     = 12
	hurryChance = 0.05
	// sdkAttempts is how often the SDK's client sends a request. With few, both replies are lost now and then, and the outcome
	// is unknown.
	sdkAttempts = 2
)

// history is one run of the workers.
type history struct {
	seed  uint64
	world *suite.World
	turns *scheduler
	calls map[kind]call
	kinds []kind // as often as their weight, in a fixed order

	mu      sync.Mutex
	moment  int64
	records []*record
	known   map[string][]emails.Email // rows by account, as workers have learnt of them
	users   map[string]*userstore.User

	// What is read when the workers have ended.
	published  []outbox.Event
	seqs       map[string]string
	faults     map[string]int
	violations []string
}

// plan is the faults of a history.
func plan(seed uint64, faulty func() bool) faults.Plan {
	return faults.Plan{
		Seed: seed, Only: func(string) bool { return faulty() },
		Conflict: 0.04, PartConflict: 0.04, PartThrottle: 0.04, Throttle: 0.04, Internal: 0.01, LoseRequest: 0.02, LoseReply: 0.06,
	}
}

// play runs a history in a bubble of its own. What is wrong with the table and the events afterwards is noted in it.
func play(t *testing.T, seed uint64, options ...suite.Option) *history {
	t.Helper()
	h := &history{
		seed: seed, calls: calls(), known: map[string][]emails.Email{}, users: map[string]*userstore.User{}, seqs: map[string]string{},
	}
	for k, c := range h.calls {
		h.kinds = append(h.kinds, slices.Repeat([]kind{k}, c.weight)...)
	}
	slices.Sort(h.kinds)
	synctest.Test(t, func(t *testing.T) { h.run(t, options) })
	return h
}

func (h *history) run(t *testing.T, options []suite.Option) {
	h.turns = newScheduler(h.seed, workers)
	h.world = suite.New(t, append([]suite.Option{
		suite.WithUsers(rules),
		suite.WithEngineClock(time.Now),
		suite.WithAttempts(sdkAttempts),
		suite.WithFaults(plan(h.seed, h.turns.faulty)),
		suite.WithTransport(h.turns.above),
	}, options...)...)
	h.turns.clock = h.world.Clock
	for id := range workers {
		go h.work(t.Context(), id)
	}
	if err := h.turns.run(); err != nil {
		t.Fatal(err)
	}
	h.inspect(t)
}

// work is one worker: it chooses an operation when it is its turn, and calls it.
func (h *history) work(ctx context.Context, worker int) {
	defer h.turns.ended()
	random := rand.New(rand.NewPCG(h.seed, uint64(worker)+firstWorker))
	for made := 0; made < opsPerWorker; {
		if h.operate(ctx, worker, random) {
			made++
		}
	}
}

// firstWorker keeps the random numbers of the workers apart from those of the scheduler.
const firstWorker = 100

// operate calls one operation, unless the worker gives up before it begins.
func (h *history) operate(ctx context.Context, worker int, random *rand.Rand) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctx = context.WithValue(ctx, workerKey{}, running{worker: worker, cancel: cancel})
	if h.turns.wait(ctx, "begin") != nil {
		return false
	}
	r := h.choose(worker, random)
	rounds := patient
	if random.Float64() < hurryChance {
		rounds = 1 + random.IntN(hurried)
	}
	ctx, end := context.WithTimeout(ctx, time.Duration(rounds)*round+afterRound)
	defer end()
	h.perform(ctx, r)
	return true
}

// perform calls an operation and notes what came of it.
func (h *history) perform(ctx context.Context, r *record) {
	h.mu.Lock()
	h.moment++
	r.call, r.callTime = h.moment, h.world.Config.Now()
	h.records = append(h.records, r)
	r.id = fmt.Sprintf("op-%d", len(h.records))
	h.mu.Unlock()

	ctx = operating(userstore.WithRequestID(ctx, r.id), r.kind, r.user)
	r.err = h.calls[r.kind].make(ctx, h.world, r)

	h.mu.Lock()
	defer h.mu.Unlock()
	h.moment++
	r.answered, r.answerAt, r.outcome = h.moment, h.world.Config.Now(), outcomeOf(r.kind, r.err)
	h.learn(r)
}

// choose makes the input of the next operation of a worker: on any account, on what the workers know of it.
func (h *history) choose(worker int, random *rand.Rand) *record {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &record{
		worker: worker,
		kind:   h.kinds[random.IntN(len(h.kinds))],
		user:   accountName(min(random.IntN(accounts), random.IntN(accounts))), // the first ones more often

		address:  addressName(random.IntN(addresses)),
		verified: random.IntN(2) == 0,
		name:     []string{"Ann", "Bea", "Cleo"}[random.IntN(3)],
	}
	row, old, right, fresh := random.IntN(recentRows), random.IntN(2) == 0, random.IntN(3) > 0, random.IntN(4) > 0
	if seen := h.users[r.user]; seen != nil && old {
		r.loaded, r.expected = seen, seen.Version
	}
	if h.users[r.user] == nil && fresh {
		r.kind = create
	}
	if !h.calls[r.kind].row {
		return r
	}
	known := h.known[r.user]
	if len(known) == 0 {
		r.kind = list
		return r
	}
	about := known[max(len(known)-1-row, 0)]
	r.emailID, r.address = about.EmailID, about.Email
	r.code = h.code(about, right, !fresh)
	return r
}

// recentRows is among how many of the rows learnt last a worker chooses.
const recentRows = 2

// code is a code for a row: the newest or an older one that was mailed, or a wrong one.
func (h *history) code(row emails.Email, right, older bool) string {
	var sent []string
	for _, m := range h.world.Mail.To(row.Email) {
		if m.EmailID == row.EmailID {
			sent = append(sent, m.Code)
		}
	}
	switch {
	case !right || len(sent) == 0:
		return h.world.Mail.Wrong(row.Email)
	case older:
		return sent[0]
	}
	return sent[len(sent)-1]
}

// learn keeps what an answer tells of rows and accounts.
func (h *history) learn(r *record) {
	if r.found != nil {
		h.users[r.found.UserID] = r.found
	}
	if r.kind == add && r.email != nil {
		h.meet(r.user, *r.email)
	}
	if r.kind == create && r.found != nil && r.found.PrimaryEmailID != "" {
		h.meet(r.user, emails.Email{EmailID: r.found.PrimaryEmailID, Email: r.found.Email})
	}
	for _, row := range r.rows {
		h.meet(r.user, row)
	}
}

func (h *history) meet(user string, row emails.Email) {
	known := slices.ContainsFunc(h.known[user], func(e emails.Email) bool { return e.EmailID == row.EmailID })
	if !known {
		h.known[user] = append(h.known[user], row)
	}
}

// inspect reads what is left when the workers have ended: every account once more, the audit, the events, the numbers.
func (h *history) inspect(t *testing.T) {
	for i := range accounts {
		h.perform(t.Context(), &record{worker: workers, kind: profile, user: accountName(i)})
	}
	for _, v := range h.world.Audit(t) {
		h.violate("%s %s of %s: %s", v.Invariant, v.Kind, v.UserID, v.Detail)
	}
	h.published = h.world.Events(t)
	for user, err := range h.world.Users.All(t.Context(), userstore.Segment{}) {
		if err != nil {
			h.violate("reading all accounts: %v", err)
			return
		}
		h.seqs[user.UserID] = h.world.Seq(t, user.UserID)
	}
	h.faults = h.world.Faults.Counts()
}

func (h *history) violate(format string, args ...any) {
	h.violations = append(h.violations, fmt.Sprintf(format, args...))
}
