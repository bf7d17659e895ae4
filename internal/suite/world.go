package suite

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/audit"
)

// World is a table of its own, which holds the outbox too, with the stores that work on it.
type World struct {
	Client *dynamodb.Client
	Config userstore.Config
	Users  *userstore.Store
	Emails *emails.Store
	Mail   *Mailbox
	Clock  *Clock
	Faults *faults.Transport
	// Engine is the in-memory engine, nil on an independent one.
	Engine *memdynamo.DB

	requests *atomic.Int64
	plain    *dynamodb.Client // without faults
}

// Option changes a World before it is made.
type Option func(*options)

type options struct {
	plan      faults.Plan
	users     func(*userstore.Config)
	emails    func(*emails.Config)
	attempts  int
	engineNow func() time.Time
	above     func(http.RoundTripper) http.RoundTripper
	rewrites  []Rewrite
}

// Rewrite makes another transaction of one that a store is about to send. It must not change its input.
type Rewrite func(ctx context.Context, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput

// WithFaults puts a plan under the SDK's client of the stores.
func WithFaults(plan faults.Plan) Option { return func(o *options) { o.plan = plan } }

// WithUsers changes the configuration of the accounts.
func WithUsers(change func(*userstore.Config)) Option { return func(o *options) { o.users = change } }

// WithAttempts is how often the SDK's client sends a request: with 1 no lost reply is repeated. The default is 5.
func WithAttempts(n int) Option { return func(o *options) { o.attempts = n } }

// WithEngineClock runs the World on the in-memory engine under a clock of its own, so that a leap of the stores' clock does
// not make the engine forget request tokens.
func WithEngineClock(now func() time.Time) Option { return func(o *options) { o.engineNow = now } }

// WithTransport puts a transport above the faults: it sees each try of the SDK's client, and decides when it goes on.
func WithTransport(above func(next http.RoundTripper) http.RoundTripper) Option {
	return func(o *options) { o.above = above }
}

// WithRewrite lets a function see and change the transactions of the stores, in the order of the options.
func WithRewrite(rewrite Rewrite) Option {
	return func(o *options) { o.rewrites = append(o.rewrites, rewrite) }
}

// WithEmails changes the configuration of the addresses.
func WithEmails(change func(*emails.Config)) Option { return func(o *options) { o.emails = change } }

// Without takes the conditions out of the transaction parts that match. A part is named by action and kind of item, as
// in "Update PROFILE" or "Put CLAIM".
func Without(parts ...string) Option {
	return WithRewrite(func(_ context.Context, in *dynamodb.TransactWriteItemsInput) *dynamodb.TransactWriteItemsInput {
		stripped := *in
		stripped.TransactItems = slices.Clone(in.TransactItems)
		for i, action := range in.TransactItems {
			if slices.Contains(parts, PartName(action)) {
				stripped.TransactItems[i] = WithCondition(action, "")
			}
		}
		return &stripped
	})
}

// New makes a World with a fake clock.
func New(t testing.TB, opts ...Option) *World {
	t.Helper()
	var o options
	for _, option := range opts {
		option(&o)
	}
	w := &World{Clock: NewClock(), Mail: &Mailbox{}, requests: &atomic.Int64{}}
	engine := newEngine(w.Clock, o)
	w.Engine = engine.db
	o.plan.Observe = func(string, []byte) { w.requests.Add(1) }
	w.plain = engine.client(engine.transport)
	w.Faults = newFaults(t, engine, o.plan)
	var transport http.RoundTripper = w.Faults
	if o.above != nil {
		transport = o.above(transport)
	}
	w.Client = engine.client(transport)
	table := newTable(t, w.plain)
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: outbox.Table{Name: table}, Envelope: userstore.Envelope()})
	require.NoError(t, err)
	w.Config = userstore.Config{Table: table, Now: w.Clock.Now, Outbox: writer, Environment: "test"}
	if o.users != nil {
		o.users(&w.Config)
	}
	cfg := emails.Config{Store: w.Config}
	if o.emails != nil {
		o.emails(&cfg)
	}
	client := rewriter{Client: w.Client, rewrites: o.rewrites}
	w.Users, err = userstore.New(client, w.Config)
	require.NoError(t, err)
	w.Emails, err = emails.New(client, w.Mail, Secrets(), cfg)
	require.NoError(t, err)
	return w
}

// Plain is a client without faults and without the rewrites: what it writes is written by hand.
func (w *World) Plain() *dynamodb.Client { return w.plain }

// Secrets are the keys that the codes of a World are derived with.
func Secrets() []emails.Secret {
	return []emails.Secret{{ID: "k1", Key: []byte("a secret of 32 bytes for testing")}}
}

// User creates an account with one verified address, user@example.com.
func (w *World) User(t testing.TB, userID string) *userstore.User {
	t.Helper()
	user, err := w.Users.Create(t.Context(), userstore.NewUser{
		UserID: userID, Email: userID + "@example.com", EmailVerified: true, FirstName: "Dana", LastName: "Reyes",
	})
	require.NoError(t, err)
	return user
}

// Verified adds an address to an account and confirms it.
func (w *World) Verified(t testing.TB, userID, address string) emails.Email {
	t.Helper()
	added, err := w.Emails.Add(t.Context(), userID, address)
	require.NoError(t, err)
	email, err := w.Emails.Confirm(t.Context(), userID, added.EmailID, w.Mail.Code(t, address))
	require.NoError(t, err)
	return email
}

// Requests counts the requests that reach DynamoDB while fn runs.
func (w *World) Requests(fn func()) int {
	before := w.requests.Load()
	fn()
	return int(w.requests.Load() - before)
}

// Audit returns what is wrong with the table, nil when it is clean.
func (w *World) Audit(t testing.TB) []audit.Violation {
	t.Helper()
	report, err := audit.Run(context.WithoutCancel(t.Context()), w.plain, audit.Config{Table: w.Config.Table, MaxEmails: w.Config.MaxEmails})
	require.NoError(t, err)
	if len(report.Violations) == 0 {
		return nil
	}
	return report.Violations
}

// Parallel calls fn n times at once and returns the errors in the order of i.
func Parallel(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// Clock is a clock that the test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock starts at a full hour.
func NewClock() *Clock { return &Clock{now: time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)} }

// Now is the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Mailbox is a Sender that keeps what it is given.
type Mailbox struct {
	mu   sync.Mutex
	sent []emails.Message
	fail error
}

// Send keeps the message, or fails as it was told.
func (m *Mailbox) Send(_ context.Context, message emails.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.sent = append(m.sent, message)
	return nil
}

// Fail makes Send return err; nil makes it work again.
func (m *Mailbox) Fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fail = err
}

// To lists the messages to an address, oldest first.
func (m *Mailbox) To(address string) []emails.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sent []emails.Message
	for _, message := range m.sent {
		if message.To == address {
			sent = append(sent, message)
		}
	}
	return sent
}

// Code is the newest code that was sent to an address.
func (m *Mailbox) Code(t testing.TB, address string) string {
	t.Helper()
	sent := m.To(address)
	require.NotEmpty(t, sent, "no mail to the address")
	return sent[len(sent)-1].Code
}

// Wrong is a code that was never sent to an address.
func (m *Mailbox) Wrong(address string) string {
	for n := 0; ; n++ {
		code := fmt.Sprintf("%06d", n)
		if !slices.ContainsFunc(m.To(address), func(s emails.Message) bool { return s.Code == code }) {
			return code
		}
	}
}
