package ratelimit

import (
	"context"
	"slices"
	"sync"
	"time"
)

// request is one caller's wish for n units. Its last fields are guarded by the mutex of its lines.
type request struct {
	n      int
	ended  <-chan struct{} // closed when the caller's context ends
	answer chan Decision   // buffered: answering never blocks

	batch *batch // nil in line and once answered
	left  bool   // the caller no longer waits
}

// isOver reports whether the caller of r waits no more, or is about to notice that.
func (r *request) isOver() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// batch is the requests that are being served together.
type batch struct {
	pending []*request // not answered
	callers int        // how many of them have a caller who still waits
	cancel  func()     // ends what is being sent for the batch
}

// lines are the requests that wait for their turn, by partition key value. One has a line exactly as long as it has a goroutine that serves
// it.
type lines struct {
	mu          sync.Mutex
	byPartition map[string][]*request
}

// join puts r in line for a partition and reports whether it begins the line, so that the partition needs a goroutine.
func (l *lines) join(partition string, r *request) (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line, served := l.byPartition[partition]
	l.byPartition[partition] = append(line, r)
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

// next takes the requests in line for a partition as a batch, with a context that ends after timeout or when no caller waits any more. If
// there are none it closes the line and returns nil: the goroutine that serves it has to end.
func (l *lines) next(ctx context.Context, partition string, timeout time.Duration) (*batch, context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	pending := slices.DeleteFunc(l.byPartition[partition], (*request).isOver)
	if len(pending) == 0 {
		delete(l.byPartition, partition)
		return nil, ctx
	}
	l.byPartition[partition] = nil
	ctx, cancel := context.WithTimeout(ctx, timeout)
	b := &batch{pending: pending, callers: len(pending), cancel: cancel}
	for _, r := range pending {
		r.batch = b
	}
	return b, ctx
}

// present returns the requests of b that are not answered, less those whose caller is gone.
func (l *lines) present(b *batch) []*request {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.pending = slices.DeleteFunc(b.pending, (*request).isOver)
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
