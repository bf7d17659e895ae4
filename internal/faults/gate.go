package faults

import (
	"context"
	"slices"
	"sync"
)

// gate stops one request.
type gate struct {
	match   func(op string) bool
	arrived chan struct{}
	open    chan struct{}
}

// Hold stops the next request for whose operation match returns true, before it reaches the engine or meets a fault. A nil match means any
// operation. The channel arrived is closed when the request stands at the gate; release lets it go on. Release may be called several
// times, and before the request arrives, which then does not wait. Each call stops one request; several gates that match are used in
// the order of the calls. The rules for the functions of a Plan hold for match.
func (t *Transport) Hold(match func(op string) bool) (release func(), arrived <-chan struct{}) {
	g := &gate{match: match, arrived: make(chan struct{}), open: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gates = append(t.gates, g)
	return sync.OnceFunc(func() { close(g.open) }), g.arrived
}

// takeGate removes the first gate that matches, and announces the request at it. Nil means that none matches. The caller holds the lock.
func (t *Transport) takeGate(op string) *gate {
	i := slices.IndexFunc(t.gates, func(g *gate) bool { return matches(g.match, op) })
	if i < 0 {
		return nil
	}
	g := t.gates[i]
	t.gates = slices.Delete(t.gates, i, i+1)
	close(g.arrived)
	return g
}

// wait returns when the gate opens, or with the context's error when that ends first.
func (g *gate) wait(ctx context.Context) error {
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
