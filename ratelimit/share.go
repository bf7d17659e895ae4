package ratelimit

import (
	"context"
	"runtime"
)

// Group commit: per key and process one write is in flight. Callers that come meanwhile line up, and the next write asks for the units of
// all of them. The writes of a key are sent by one goroutine, which the first caller starts and which ends when nobody is left in line;
// callers only wait for their answer or the end of their context.

// maxTurns bounds the requests for one batch. Contention needs a few; only a server that refuses without the old item would go on for ever.
const maxTurns = 50

// ask lines up for n units of a partition and returns the answer.
func (c *core[S]) ask(ctx context.Context, partition string, n int) (Decision, error) {
	r := &request{n: n, ended: ctx.Done(), answer: make(chan Decision, 1)}
	if c.lines.join(partition, r) {
		// The values of ctx (a trace, for instance) serve for the writes, its end does not: others may share them.
		go c.serve(context.WithoutCancel(ctx), partition)
	}
	select {
	case d := <-r.answer:
		return d, nil
	case <-ctx.Done():
		c.lines.leave(r)
		return Decision{}, ended(ctx.Err())
	}
}

// serve answers the requests in line for a partition until there are none.
func (c *core[S]) serve(ctx context.Context, partition string) {
	for {
		b, batchCtx := c.lines.next(ctx, partition, c.tuning.Timeout)
		if b == nil {
			return
		}
		c.settle(batchCtx, partition, b)
		b.cancel()
		runtime.Gosched() // callers that were answered and ask again at once can still join the next write
	}
}

// settle answers the requests of b, all of them as of one time. Each turn answers those that the known state denies, and writes for as many
// of the others as there is room for. A refused write has brought the stored state, so the next turn uses the right form or asks for less:
// as time stands and states only rise, turns come to an end. (With a new time for each turn, other processes could make every guess wrong
// on a key that is hardly limited.)
func (c *core[S]) settle(ctx context.Context, partition string, b *batch) {
	known, epoch := c.known.recall(partition)
	now := nanos(c.clock())
	known = c.rules.at(known, now)
	for range maxTurns {
		chosen, units := c.choose(b, known, now)
		if units == 0 {
			return
		}
		s, admitted, err := c.admit(ctx, partition, known, units, now)
		if err != nil {
			c.lines.replyAll(b, c.onFailure.decide(c.rules.limit(), err))
			return
		}
		known = s
		c.known.store(partition, known, epoch)
		if admitted {
			c.lines.reply(b, chosen, admission(c.rules, known, now))
		}
	}
	c.lines.replyAll(b, c.onFailure.decide(c.rules.limit(), errUnsettled))
}

// choose answers the pending requests that s denies, and returns those of the others that fit into its room together, first come first.
func (c *core[S]) choose(b *batch, s S, now int64) (chosen []*request, units int) {
	room := c.rules.room(s, now)
	for _, r := range c.lines.present(b) {
		switch {
		case r.n > room:
			c.lines.reply(b, []*request{r}, denial(c.rules, s, r.n, now))
		case r.n <= room-units:
			chosen = append(chosen, r)
			units += r.n
		}
	}
	return chosen, units
}
