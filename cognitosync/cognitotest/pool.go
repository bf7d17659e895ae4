package cognitotest

import (
	"strings"
	"sync"
	"time"
)

// The states of a user that matter here.
const (
	Confirmed   = "CONFIRMED"
	Unconfirmed = "UNCONFIRMED"
	External    = "EXTERNAL_PROVIDER"
)

// User is a user of the pool.
type User struct {
	// Sub is the id; required. Username is the sub if it is empty.
	Sub      string
	Username string
	// Email is an alias of the user while EmailVerified.
	Email         string
	EmailVerified bool
	Disabled      bool
	// Status is Confirmed if it is empty.
	Status string
	// Attributes are further ones, such as given_name.
	Attributes map[string]string
	// SignedOut counts AdminUserGlobalSignOut.
	SignedOut int
	// Created and Modified are set by Put when they are zero, Modified by every change.
	Created  time.Time
	Modified time.Time
}

// Call is a request as Options.Intercept sees it, before it takes effect.
type Call struct {
	Op       string
	Username string
	At       time.Time
}

// Options are how the pool behaves.
type Options struct {
	// Lag is how long ListUsers shows what a user was before its last change.
	Lag time.Duration
	// Ragged makes pages short, empty, and repeating, in a fixed pattern. Otherwise they are full.
	Ragged bool
	// Intercept, if set, is called with each request and may answer it with an error: the name of an exception, as in
	// "TooManyRequestsException"; "" lets it pass. "InternalErrorException" and "ServiceUnavailable" come with a 5xx. Requests of several
	// goroutines call it at once.
	Intercept func(Call) string
}

// PoolID is the only pool that there is.
const PoolID = "eu-west-1_fake"

// Pool is the user pool. It is safe for concurrent use.
type Pool struct {
	options Options

	mu sync.Mutex
	// order has every user that ever was, in the order of Put: the order of ListUsers.
	order   []*record
	users   map[string]*record // by user name
	subs    map[string]*record
	aliases map[string]*record // by verified address
}

// record is a user now and, for the lag, as it was before its last change; nil for "not there".
type record struct {
	now, before *User
	changed     time.Time
}

// New returns an empty pool.
func New(options Options) *Pool {
	return &Pool{options: options, users: map[string]*record{}, subs: map[string]*record{}, aliases: map[string]*record{}}
}

// Put adds a user, or replaces the one of that user name.
func (p *Pool) Put(u User) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if u.Username == "" {
		u.Username = u.Sub
	}
	if u.Status == "" {
		u.Status = Confirmed
	}
	if u.Created.IsZero() {
		u.Created = now
	}
	if u.Modified.IsZero() {
		u.Modified = u.Created
	}
	if old := p.users[u.Username]; old != nil {
		p.replace(old, nil)
	}
	r := &record{}
	p.order = append(p.order, r)
	p.replace(r, &u)
	r.changed = u.Modified // one that is put with an old date has been there since
}

// Get returns a user by sub.
func (p *Pool) Get(sub string) (User, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.subs[sub]
	if r == nil {
		return User{}, false
	}
	return *r.now, true
}

// Delete removes a user by sub.
func (p *Pool) Delete(sub string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := p.subs[sub]; r != nil {
		p.replace(r, nil)
	}
}

// replace makes u the current state of a record; nil deletes it. The caller holds the lock.
func (p *Pool) replace(r *record, u *User) {
	if old := r.now; old != nil {
		delete(p.users, old.Username)
		delete(p.subs, old.Sub)
		if p.aliases[alias(old)] == r {
			delete(p.aliases, alias(old))
		}
	}
	r.before, r.now, r.changed = r.now, u, time.Now()
	if u != nil {
		p.users[u.Username] = r
		p.subs[u.Sub] = r
		if u.EmailVerified {
			p.aliases[alias(u)] = r
		}
	}
}

// find resolves what the API calls Username: the name, the sub of a local user, or an alias.
func (p *Pool) find(name string) *record {
	if r := p.users[name]; r != nil {
		return r
	}
	if r := p.subs[name]; r != nil && r.now.Status != External {
		return r
	}
	return p.aliases[strings.ToLower(name)]
}

// listed is the record as ListUsers shows it.
func (p *Pool) listed(r *record, now time.Time) *User {
	if now.Sub(r.changed) < p.options.Lag {
		return r.before
	}
	return r.now
}

func alias(u *User) string { return strings.ToLower(u.Email) }
