package memdynamo

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/tidwall/btree"
)

// Options configures an engine. The zero value is an engine on the real clock whose indexes never lag and whose items
// never expire.
type Options struct {
	// Now is the engine's clock, used for request tokens, index lag, expiry and times of creation; nil means time.Now. It
	// is called once per request, possibly concurrently, and must not call the engine.
	Now func() time.Time

	// IndexLag is how long after a write a global secondary index shows it; 0 or less means at once. What is read from an index
	// then is as the table was IndexLag ago.
	IndexLag time.Duration

	// TTLLag is how long after its expiry an item vanishes, where time to live is enabled on the table. 0 or less means never:
	// the service gives no bound, so code must judge expiry itself. With TTLLag a removal happens on the first request
	// to the engine that comes late enough.
	TTLLag time.Duration
}

// DB is an in-memory DynamoDB. It is safe for concurrent use; instances share nothing.
type DB struct {
	opts     Options
	meter    meter
	requests atomic.Uint64 // numbers the answers, see the request id

	// mu guards everything below, and all tables. Reads share it; a write holds it from the first condition to the last
	// change, which makes every request serializable.
	mu     sync.RWMutex
	tables btree.Map[string, *table]
	agenda *agenda
	tokens map[string]fingerprint // of the transactions that succeeded lately
}

// New returns an empty engine.
func New(opts Options) *DB {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	db := &DB{opts: opts}
	db.Reset()
	return db
}

// Reset removes all tables, request tokens and counts.
func (db *DB) Reset() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.clear()
	db.meter.reset()
}

func (db *DB) clear() {
	db.tables.Clear()
	db.agenda = newAgenda()
	db.tokens = map[string]fingerprint{}
}

// read runs fn while nothing changes. What fn takes out of the tables stays valid afterwards, because values and rows
// never change.
func (db *DB) read(fn func(now time.Time) error) error {
	now := db.opts.Now()
	db.mu.RLock()
	if db.agenda.due(now) {
		db.mu.RUnlock()
		return db.writeAt(now, fn)
	}
	defer db.mu.RUnlock()
	return fn(now)
}

// write runs fn alone.
func (db *DB) write(fn func(now time.Time) error) error {
	return db.writeAt(db.opts.Now(), fn)
}

func (db *DB) writeAt(now time.Time, fn func(now time.Time) error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.agenda.settle(now)
	return fn(now)
}

// table returns a table for a request; the caller holds the lock.
func (db *DB) table(name string) (*table, error) {
	if t, ok := db.tables.Get(name); ok {
		return t, nil
	}
	if err := checkName("TableName", name); err != nil {
		return nil, err
	}
	return nil, tableNotFound(name)
}
