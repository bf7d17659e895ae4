package outbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/aws/smithy-go"
)

// pipeline publishes what is put into its backlog, and deletes what it has published.
type pipeline struct {
	Publishing
	store     store
	publisher Publisher
	backlog   *backlog
	stats     *statistics
	signals   signals
	// callFailing is told after each call that failed as a whole how many have in a row.
	callFailing func(calls int, err error)
	// deleteFailing is told after each request for deletions that failed how often that one has since any came through.
	deleteFailing func(tries int, err error)
	// deletions counts the requests for deletions that came through.
	deletions atomic.Int64
}

func newPipeline(s store, publisher Publisher, cfg Publishing, shards int, stats *statistics, signals signals) *pipeline {
	return &pipeline{
		Publishing:  cfg,
		store:       s,
		publisher:   publisher,
		backlog:     newBacklog(cfg, shards),
		stats:       stats,
		signals:     signals,
		callFailing: func(int, error) {},

		deleteFailing: func(int, error) {},
	}
}

// publish sends what the backlog hands out, until ctx ends; then it returns as soon as the calls in flight have ended. They use io.
func (p *pipeline) publish(ctx, io context.Context) {
	pump(ctx, p.backlog.publishSignal, func(now time.Time) (func(), time.Duration, bool) {
		s, wait := p.backlog.take(now)
		if s == nil {
			return nil, wait, false
		}
		return func() { p.send(io, s) }, 0, false
	})
}

// errResults says that a publisher, or the service behind it, broke its contract.
var errResults = errors.New("outbox: not one result for each entry")

// send makes one call and acts on its results.
func (p *pipeline) send(io context.Context, s *shipment) {
	now := time.Now()
	deadline := now.Add(p.PublishTimeout)
	if s.until.Before(deadline) {
		deadline = s.until
	}
	results, err := p.call(io, deadline, s.entries)
	p.stats.called(len(s.entries), err != nil)
	if err != nil {
		p.callFailed(io, s, err)
		return
	}
	p.backlog.callSucceeded()
	var taken []*lane
	now = time.Now()
	for i, r := range results {
		if r.Outcome == Published {
			taken = append(taken, s.lanes[i])
			p.signals.took(io, s.entries[i].Event.Time, now)
		}
	}
	p.stats.published(len(taken))
	p.backlog.published(taken, now)
	for i, r := range results {
		if r.Outcome != Published {
			p.stats.failed(r.Code, 1)
			p.signals.failed(io, r.Code, 1)
			p.failed(io, s.lanes[i], r)
		}
	}
}

// errPanic says that a publisher has panicked. What it panicked with may quote an event.
var errPanic = errors.New("outbox: the publisher panicked")

// call makes one call. A publisher that panics over an event would else take down every process that meets the event, one after another.
func (p *pipeline) call(io context.Context, deadline time.Time, entries []Entry) (results []Result, err error) {
	ctx, cancel := context.WithDeadline(io, deadline)
	defer cancel()
	defer p.signals.recorder.Begin(&ctx, "outbox.publish", "").End(&err)
	defer func() {
		if recover() != nil {
			p.Logger.ErrorContext(io, "outbox: publisher panicked", "stack", string(debug.Stack()))
			results, err = nil, errPanic
		}
	}()
	results, err = p.publisher.Publish(ctx, entries)
	if err == nil && len(results) != len(entries) {
		err = errResults
	}
	return results, err
}

// callFailed puts all events of a call back, because any of them may or may not have been published.
func (p *pipeline) callFailed(io context.Context, s *shipment, err error) {
	inRow, ownFault := p.backlog.callFailed(s, time.Now(), p.MaxBackoff)
	code := codeOf(err)
	p.Logger.WarnContext(io, "outbox: call to the publisher failed", "code", code, "entries", len(s.entries), "inRow", inRow)
	p.stats.failed(code, len(s.lanes))
	p.signals.failed(io, code, len(s.lanes))
	if ownFault {
		p.failed(io, s.lanes[0], Result{Outcome: Retry, Code: code})
	} else {
		p.backlog.callLost(s, time.Now(), p.MaxBackoff)
	}
	p.callFailing(inRow, err)
}

// codeOf names a failed call without its message, in which services quote what they were sent.
func codeOf(err error) string {
	if api, ok := errors.AsType[smithy.APIError](err); ok {
		return api.ErrorCode()
	}
	switch {
	case errors.Is(err, errPanic):
		return "Panic"
	case errors.Is(err, context.DeadlineExceeded):
		return "Timeout"
	case errors.Is(err, context.Canceled):
		return "Canceled"
	default:
		return "CallFailed"
	}
}

// failed decides what becomes of a lane whose first event was not published.
func (p *pipeline) failed(io context.Context, l *lane, r Result) {
	now := time.Now()
	a := p.backlog.attemptOf(l)
	f := failure{attempts: a.failures + 1, firstFailedAt: a.firstFailedAt, lastFailedAt: now, reason: reasonOf(r)}
	if f.firstFailedAt.IsZero() {
		f.firstFailedAt = now
	}
	if r.Outcome == Rejected || p.MaxAttempts > 0 && f.attempts >= p.MaxAttempts {
		p.setAside(io, l, a, f)
		return
	}
	next := now.Add(backoff(f.attempts, p.MaxBackoff))
	if f.attempts < storeAfter {
		p.backlog.postponed(l, f.attempts, f.firstFailedAt, next)
		return
	}
	if _, err := p.store.saveFailure(io, a.pack, f, next); err != nil {
		p.putOff(io, l, f, fmt.Errorf("store a failed attempt: %w", err))
		return
	}
	p.backlog.left(l)
}

// setAside carries out the policy for an event that cannot be published.
func (p *pipeline) setAside(io context.Context, l *lane, a attempt, f failure) {
	e := a.event()
	log := p.Logger.With("aggregate", e.AggregateID, "seq", e.Seq, "event", e.ID, "type", e.Type, "reason", f.reason)
	if p.policyOf(e.Type) == Hold {
		if _, err := p.store.hold(io, a.pack, f); err != nil {
			p.putOff(io, l, f, fmt.Errorf("hold: %w", err))
			return
		}
		p.stats.held()
		p.signals.setAside(io, "hold")
		log.ErrorContext(io, "outbox: aggregate held")
		p.backlog.left(l)
		return
	}
	switch moved, err := p.store.bury(io, a.pack, f); {
	case err != nil:
		p.putOff(io, l, f, fmt.Errorf("move to the dead letters: %w", err))
	case !moved: // another relay has got further with the pack
		p.backlog.left(l)
	default:
		p.stats.buried()
		p.signals.setAside(io, "dead_letter")
		log.ErrorContext(io, "outbox: event moved to the dead letters")
		p.backlog.buried(l, time.Now())
	}
}

// putOff has the event sent again later because what became of it could not be stored.
func (p *pipeline) putOff(io context.Context, l *lane, f failure, err error) {
	p.Logger.WarnContext(io, "outbox: failure not stored", "error", err)
	p.backlog.postponed(l, f.attempts, f.firstFailedAt, time.Now().Add(backoff(f.attempts, p.MaxBackoff)))
}
