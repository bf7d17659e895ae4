package outbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// giveUpAfter is how many calls to the publisher, turns with the leases, reads of a shard or deletions must fail in a row before RunOnce
// gives up.
const giveUpAfter = 5

// ErrShutdown says that a relay ran out of time before all was in order: some events may be published twice.
var ErrShutdown = errors.New("outbox: shutdown not finished in time")

// run is one run of a relay. Its fields are used by the goroutine of Run, unless they say otherwise.
type run struct {
	*Relay
	once     bool
	leases   *leases
	pipeline *pipeline
	pollers  map[int]*polling
	// drained are the shards that RunOnce is through with.
	drained map[int]bool
	// failedTurns counts the turns that failed since one succeeded.
	failedTurns int
	// io is the context of all requests but reads; it ends after the shutdown.
	io context.Context

	// ended and quiet receive pollers that are through, and quiet shards that are at rest after theirs was stopped; fatal what ends the run.
	ended chan *polling
	quiet chan int
	fatal chan error
	// helpers are the goroutines that send to quiet.
	helpers sync.WaitGroup
}

// polling is a poller at work.
type polling struct {
	shard int
	stop  context.CancelFunc
	done  chan struct{}
}

func (r *Relay) run(ctx context.Context, once bool) error {
	if err := r.store.checkTable(ctx); err != nil {
		return err
	}
	if err := checkPublisher(ctx, r.publisher); err != nil {
		return err
	}
	io, stopIO := context.WithCancel(context.WithoutCancel(ctx))
	defer stopIO()
	rn := &run{
		Relay:    r,
		once:     once,
		leases:   newLeases(r.store, r.cfg, r.newID(), once),
		pipeline: newPipeline(r.store, r.publisher, r.cfg.Publishing, r.cfg.Shards, r.stats, r.signals),
		pollers:  make(map[int]*polling),
		drained:  make(map[int]bool),
		io:       io,
		ended:    make(chan *polling, r.cfg.Shards),
		quiet:    make(chan int, r.cfg.Shards),
		fatal:    make(chan error, 1),
	}
	if once {
		rn.pipeline.callFailing = rn.giveUp("publish")
		rn.pipeline.deleteFailing = rn.giveUp("delete")
	}
	return rn.run(ctx, stopIO)
}

// run starts the pipeline, keeps the leases until the end, and shuts down.
func (r *run) run(ctx context.Context, stopIO context.CancelFunc) error {
	publishing, stopPublishing := context.WithCancel(context.Background())
	defer stopPublishing()
	var publish, clean sync.WaitGroup
	publish.Go(func() { r.pipeline.publish(publishing, r.io) })
	clean.Go(func() { r.pipeline.clean(r.io) })

	err := r.keep(ctx)

	outOfTime := time.AfterFunc(r.cfg.ShutdownTimeout, stopIO)
	defer outOfTime.Stop()
	for shard := range r.pollers {
		r.stopPoller(shard)
		r.pipeline.backlog.deactivate(shard)
	}
	stopPublishing()
	publish.Wait()
	r.pipeline.backlog.beginFlush()
	clean.Wait()
	if r.io.Err() != nil {
		err = errors.Join(err, ErrShutdown)
	}
	r.giveBack()
	stopIO()
	r.helpers.Wait()
	return err
}

// keep takes turns until ctx ends, something fatal happens, or RunOnce is through.
func (r *run) keep(ctx context.Context) error {
	ticker := time.NewTicker(r.cfg.LeaseDuration / beatsPerLease)
	defer ticker.Stop()
	r.turn(ctx)
	for {
		if r.once && r.through() {
			return nil
		}
		select {
		case <-ticker.C:
			r.turn(ctx)
		case p := <-r.ended:
			r.drained[p.shard] = r.pollers[p.shard] == p
		case shard := <-r.quiet:
			if err := r.leases.release(ctx, shard); err != nil {
				r.cfg.Logger.WarnContext(ctx, "outbox: lease not released", "shard", shard, "error", err)
			}
		case err := <-r.fatal:
			return err
		case <-ctx.Done():
			if r.once {
				return ctx.Err()
			}
			return nil
		}
	}
}

// through reports whether every shard is drained or surely another relay's.
func (r *run) through() bool {
	for shard := range r.cfg.Shards {
		if !r.drained[shard] && !r.leases.elsewhere(shard) {
			return false
		}
	}
	return true
}

// turn takes one turn with the leases and follows what it brought.
func (r *run) turn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.LeaseDuration/2)
	defer cancel()
	backlog := r.pipeline.backlog
	t, err := r.leases.take(ctx, func(shard int) bool { return !backlog.held(shard) })
	r.turnEnded(ctx, err)
	if len(t.acquired)+len(t.lost)+len(t.unwanted) > 0 {
		r.cfg.Logger.InfoContext(ctx, "outbox: leases changed", "relay", r.leases.id,
			"acquired", t.acquired, "lost", t.lost, "givingUp", t.unwanted)
	}
	for _, shard := range t.lost {
		r.stopPoller(shard)
		backlog.deactivate(shard)
	}
	for _, shard := range t.unwanted {
		r.stopPoller(shard)
		rest := backlog.deactivate(shard)
		r.helpers.Go(func() {
			select {
			case <-rest:
				r.quiet <- shard // has room for every shard once, and no shard is given up twice before it is released
			case <-r.io.Done():
			}
		})
	}
	backlog.extend(r.leases.validUntil)
	for _, shard := range t.acquired {
		r.startPoller(shard)
	}
}

// turnEnded counts failed turns. A relay that runs for good goes on trying.
func (r *run) turnEnded(ctx context.Context, err error) {
	if err == nil {
		r.failedTurns = 0
		return
	}
	r.failedTurns++
	r.cfg.Logger.WarnContext(ctx, "outbox: turn failed", "error", err, "inRow", r.failedTurns)
	if r.once && r.failedTurns >= giveUpAfter {
		r.fail(err)
	}
}

func (r *run) startPoller(shard int) {
	backlog := r.pipeline.backlog
	backlog.activate(shard)
	r.stats.swept(shard, time.Time{})
	delete(r.drained, shard)
	ctx, cancel := context.WithCancel(r.io)
	p := &polling{shard: shard, stop: cancel, done: make(chan struct{})}
	r.pollers[shard] = p
	poller := &poller{shard: shard, cfg: r.cfg, store: r.store, backlog: backlog, stats: r.stats, wake: r.wakes[shard]}
	go func() {
		defer close(p.done)
		if err := poller.run(ctx, r.once); err != nil {
			r.fail(fmt.Errorf("shard %d: %w", shard, err))
			return
		}
		select {
		case r.ended <- p:
		case <-ctx.Done():
		}
	}()
}

// stopPoller returns after the poller has ended, so that it cannot add what it read before.
func (r *run) stopPoller(shard int) {
	if p := r.pollers[shard]; p != nil {
		p.stop()
		<-p.done
		delete(r.pollers, shard)
		r.stats.released(shard)
	}
}

// fail ends the run. The first failure counts.
func (r *run) fail(err error) {
	select {
	case r.fatal <- err:
	default:
	}
}

// giveUp ends RunOnce when the publisher is down, or the table does not take deletions.
func (r *run) giveUp(operation string) func(failures int, err error) {
	return func(failures int, err error) {
		if failures >= giveUpAfter {
			r.fail(fmt.Errorf("outbox: %s: %w", operation, err))
		}
	}
}

// giveBack releases all shards and says good-bye. What fails here only makes the others wait for the lease to run out.
func (r *run) giveBack() {
	for shard := range r.cfg.Shards {
		if err := r.leases.release(r.io, shard); err != nil {
			r.cfg.Logger.WarnContext(r.io, "outbox: lease not released", "shard", shard, "error", err)
		}
	}
	if err := r.leases.leave(r.io); err != nil {
		r.cfg.Logger.WarnContext(r.io, "outbox: relay not signed off", "error", err)
	}
}
