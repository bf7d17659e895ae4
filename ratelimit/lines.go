package ratelimit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// request is one caller's wish for n units. Its fields below answer are guarded by the mutex of its lines.
type request struct {
	n      int
	answer chan Decision // buffered: answering never blocks

	batch *batch // nil in line and once answered
	left  bool   // the caller no longer waits
}

// batch is the requests that are being served together.
type batch struct {
	pending []*request // not answered
	callers int        // how many of them have a caller who still waits
	cancel  func()     // ends what is being sent for the batch
}

// lines are the requests that wait for their turn, by key. A key has a line exactly as long as it has a goroutine that serves it.
type lines struct {
	mu    sync.Mutex
	byKey map[string][]*request
}

// join puts r in line for key and reports whether it begins the line, so that the key needs a goroutine.
func (l *lines) join(key string, r *request) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line, served := l.byKey[key]
	l.byKey[key] = append(line, r)
	return !served
}

// leave says that the caller of r no longer waits. The last one to leave a batch cancels it.
func (l *lines) leave(r *request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.left = true
	if r.batch == nil {
		return
	}
	if r.batch.callers--; r.batch.callers == 0 {
		r.batch.cancel()
	}
}

// next takes the requests in line for key as a batch, with a context that ends after timeout or when no caller waits any more. If there are none it
// closes the line and returns nil: the goroutine that serves the key has to end.
func (l *lines) next(ctx context.Context, key string, timeout time.Duration) (*batch, context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pending := slices.DeleteFunc(l.byKey[key], func(r *request) bool { return r.left })
	if len(pending) == 0 {
		delete(l.byKey, key)
		return nil, ctx
	}
	l.byKey[key] = nil
	ctx, cancel := context.WithTimeout(ctx, timeout)
	b := &batch{pending: pending, callers: len(pending), cancel: cancel}
	for _, r := range pending {
		r.batch = b
	}
	return b, ctx
}

// present returns the requests of b that are not answered, less those whose caller has left.
func (l *lines) present(b *batch) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.pending = slices.DeleteFunc(b.pending, func(r *request) bool { return r.left })
	return slices.Clone(b.pending)
}

// reply answers some requests of b, and takes them out of it.
func (l *lines) reply(b *batch, answered []*request, d Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range answered {
		r.answer <- d
		r.batch = nil
		if !r.left {
			b.callers--
		}
	}
	b.pending = slices.DeleteFunc(b.pending, func(r *request) bool { return r.batch == nil })
}

// replyAll answers all requests of b.
func (l *lines) replyAll(b *batch, d Decision) {
	l.reply(b, l.present(b), d)
}
