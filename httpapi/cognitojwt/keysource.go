package cognitojwt

import (
	"context"
	"crypto/rsa"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/usercore-go/usercore/httpapi"
)

// keySource holds the keys of one pool. A known kid is one atomic load. An unknown one joins the fetch in flight or starts one, but
// after a fetch has ended, well or badly, its outcome answers everybody for the cooldown: junk kids cause one request per cooldown,
// and never a queue.
type keySource struct {
	issuer   string
	url      string // empty: the keys are fixed
	client   *http.Client
	timeout  time.Duration
	cooldown time.Duration
	now      func() time.Time
	log      *slog.Logger

	keys atomic.Pointer[keySet]

	mu   sync.Mutex // guards last, and is held for the decision only
	last *fetch     // the fetch in flight, or the last one; nil before the first
}

// fetch is one request for a key set. The fields err and ended are written before done is closed, and read after.
type fetch struct {
	done  chan struct{}
	ended time.Time
	err   error
}

func (f *fetch) running() bool {
	select {
	case <-f.done:
		return false
	default:
		return true
	}
}

// key returns the key for a kid, or nil.
func (s *keySource) key(kid string) *rsa.PublicKey { return (*s.keys.Load())[kid] }

// find returns the key for a kid, after a fetch if need be. It returns ErrUnknownKey when the set was read and does not have it, and an
// *httpapi.UnavailableError when the set cannot be read or ctx ends before it is.
func (s *keySource) find(ctx context.Context, kid string) (*rsa.PublicKey, error) {
	if key := s.key(kid); key != nil {
		return key, nil
	}
	if s.url == "" {
		return nil, ErrUnknownKey
	}
	f := s.fetchOnce()
	if err := f.wait(ctx); err != nil {
		return nil, &httpapi.UnavailableError{RetryAfter: time.Second, Err: fmt.Errorf("cognitojwt: wait for the key set: %w", err)}
	}
	if key := s.key(kid); key != nil {
		return key, nil
	}
	if f.err != nil {
		return nil, &httpapi.UnavailableError{RetryAfter: s.untilNext(f), Err: f.err}
	}
	return nil, ErrUnknownKey
}

// fetchOnce returns the fetch whose outcome counts now: the one in flight, the last one while the cooldown runs, else a new one.
func (s *keySource) fetchOnce() *fetch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && (s.last.running() || s.now().Sub(s.last.ended) < s.cooldown) {
		return s.last
	}
	s.last = &fetch{done: make(chan struct{})}
	go s.run(s.last)
	return s.last
}

// run carries a fetch out. It has its own deadline and no caller's context, because callers come and go while all wait for one answer.
func (s *keySource) run(f *fetch) {
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	set, ignored, err := fetchKeySet(ctx, s.client, s.url)
	if err != nil {
		f.err = fmt.Errorf("cognitojwt: key set of %s: %w", s.issuer, err)
		s.log.Warn("key set fetch failed, the keys known before still serve", "issuer", s.issuer, "keys", len(*s.keys.Load()), "err", err)
	} else {
		s.replace(set)
		s.log.Info("key set fetched", "issuer", s.issuer, "keys", len(set), "ignored", ignored)
	}
	f.ended = s.now()
	close(f.done)
}

// replace puts a new set in place of the old one. A key that stays keeps its pointer: that is how the cache of verified tokens tells a
// key that is still in use from one that was withdrawn.
func (s *keySource) replace(set keySet) {
	for kid, key := range set {
		if old := s.key(kid); old != nil && old.Equal(key) {
			set[kid] = old
		}
	}
	s.keys.Store(&set)
}

// untilNext returns how long it takes until another fetch is possible, at least a second.
func (s *keySource) untilNext(f *fetch) time.Duration {
	return max(f.ended.Add(s.cooldown).Sub(s.now()), time.Second)
}

// wait blocks until the fetch or ctx has ended and returns ctx's error in the second case.
func (f *fetch) wait(ctx context.Context) error {
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
