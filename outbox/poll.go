package outbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	pageSize = 100
	// pollSpacing is the least time between the beginnings of two sweeps of a shard, however often it is woken.
	pollSpacing = 10 * time.Millisecond
)

// poller reads one shard into the backlog while its relay holds the lease, from a cursor forward and around again.
type poller struct {
	shard    int
	cfg      RelayConfig
	store    store
	backlog  *backlog
	stats    *statistics
	wake     <-chan struct{}
	cursor   string
	interval time.Duration
	// foreign counts the items of the sweep that are no packs; foreignTold is how many the log has last been told of.
	foreign, foreignTold int
}

// run reads until ctx ends, or if once is set until the shard is drained. An error means that the relay must not go on.
func (p *poller) run(ctx context.Context, once bool) error {
	p.interval = p.cfg.PollInterval
	for failures := 0; ; {
		began, fresh := time.Now(), p.cursor == "" && p.backlog.idle(p.shard)
		found, err := p.sweep(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrShards):
			return err
		case err != nil:
			failures++
			p.cfg.Logger.WarnContext(ctx, "outbox: read failed", "shard", p.shard, "error", err)
			if once && failures == giveUpAfter {
				return fmt.Errorf("outbox: read: %w", err)
			}
			if pause(ctx, backoff(failures, p.cfg.MaxBackoff)) != nil {
				return nil
			}
			continue
		}
		failures = 0
		p.stats.swept(p.shard, time.Now())
		p.tellForeign(ctx)
		if once && fresh && found == 0 {
			return nil
		}
		if p.rest(ctx, began, found > 0 || once) != nil {
			return nil
		}
	}
}

// tellForeign logs how many items of the shard are no packs when that has changed.
func (p *poller) tellForeign(ctx context.Context) {
	if p.foreign > 0 && p.foreign != p.foreignTold {
		p.cfg.Logger.ErrorContext(ctx, "outbox: items that are no packs", "shard", p.shard, "items", p.foreign)
	}
	p.foreign, p.foreignTold = 0, p.foreign
}

// rest waits until it is time for the next sweep: soon if there was something new, else after a wait that doubles.
func (p *poller) rest(ctx context.Context, began time.Time, busy bool) error {
	if busy {
		p.interval = p.cfg.PollInterval
	}
	// Up to a quarter more, so that shards do not keep step.
	timer := time.NewTimer(p.interval + rand.N(p.interval/4))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		p.interval = min(2*p.interval, p.cfg.MaxPollInterval)
		return nil
	case <-p.wake:
		p.interval = p.cfg.PollInterval
		return pause(ctx, pollSpacing-time.Since(began))
	}
}

// sweep reads the shard from the cursor to its end and returns how many packs were new.
func (p *poller) sweep(ctx context.Context) (found int, err error) {
	for {
		// Before the wait for room: lanes in doubt make none until they are read again.
		if err := p.settleDoubt(ctx); err != nil {
			return found, err
		}
		if err := p.waitForRoom(ctx); err != nil {
			return found, err
		}
		m, next, err := p.page(ctx)
		if err != nil {
			return found, err
		}
		found += m.found
		if err := p.settleDoubt(ctx); err != nil {
			return found, err
		}
		p.cursor = next
		if next == "" {
			return found, nil
		}
		if m.skip != "" {
			p.cursor = max(next, endOf(m.skip))
		}
	}
}

func (p *poller) waitForRoom(ctx context.Context) error {
	for {
		room := p.backlog.roomFor(p.shard)
		if room == nil {
			return ctx.Err()
		}
		select {
		case <-room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// page reads the page after the cursor.
func (p *poller) page(ctx context.Context) (m merged, next string, err error) {
	r := reading{query: p.backlog.beginRead(p.shard)}
	items, next, err := p.store.page(ctx, span{partition: p.store.table.waiting(p.shard), after: p.cursor, limit: pageSize})
	if err != nil {
		return m, "", err
	}
	m, foreign, err := p.merge(r, items)
	p.foreign += foreign
	return m, next, err
}

// settleDoubt reads a part of the shard again if a pack may have been missed.
func (p *poller) settleDoubt(ctx context.Context) error {
	d := p.backlog.doubtOf(p.shard)
	if d == nil {
		return nil
	}
	r := reading{query: p.backlog.beginRead(p.shard), only: d}
	items, err := p.store.all(ctx, span{partition: p.store.table.waiting(p.shard), from: d.from, to: d.to})
	if err != nil {
		return err
	}
	if _, _, err := p.merge(r, items); err != nil {
		return err
	}
	p.backlog.confirm(d, time.Now())
	return nil
}

// merge takes what was read into the backlog. Foreign counts the items that are no packs.
func (p *poller) merge(r reading, items []item) (m merged, foreign int, err error) {
	r.now = time.Now()
	if p.cfg.MinAge > 0 {
		r.before = r.now.Add(-p.cfg.MinAge)
	}
	for _, it := range items {
		pack, err := p.store.table.decodePack(p.shard, it)
		if err != nil {
			p.stats.malformed()
			foreign++
			continue
		}
		r.packs = append(r.packs, pack)
	}
	m, err = p.backlog.merge(p.shard, r)
	return m, foreign, err
}
