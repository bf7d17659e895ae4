package faults

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"
)

// Transport is an http.RoundTripper that injects faults into DynamoDB requests. Its methods may be called concurrently.
type Transport struct {
	next http.RoundTripper
	plan Plan
	odds []odds

	// mu guards what follows, and is held while a function of the plan runs.
	mu     sync.Mutex
	dice   map[string]*dice
	script []scripted
	gates  []*gate
	counts map[string]int
}

// New returns a Transport that sends requests to next: the engine, or http.DefaultTransport for one that listens on a socket. It
// returns an error that names the field of the plan that has a bad value.
func New(next http.RoundTripper, plan Plan) (*Transport, error) {
	if next == nil {
		return nil, errors.New("faults: next is nil")
	}
	if err := plan.validate(); err != nil {
		return nil, err
	}
	if plan.Sleep == nil {
		plan.Sleep = sleep
	}
	return &Transport{
		next:   next,
		plan:   plan,
		odds:   plan.odds(),
		dice:   make(map[string]*dice),
		counts: make(map[string]int),
	}, nil
}

// RoundTrip sends the request to the engine, or does to it what the script or the plan says. A request that is held or delayed
// returns its context's error when the context ends first, and does not reach the engine then.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if operation(req) == "" {
		return t.next.RoundTrip(req)
	}
	r, err := readRequest(req)
	if err != nil {
		return nil, err
	}
	decided := t.decide(r)
	if err := t.wait(req.Context(), decided); err != nil {
		return nil, err
	}
	send := func(body []byte) (*http.Response, error) {
		t.observe(r.op, body)
		return t.next.RoundTrip(r.withBody(body))
	}
	if decided.fault == nil {
		return send(r.body)
	}
	t.count(decided.fault.Kind())
	return decided.fault.inject(r, send)
}

// Counts returns how many requests of each operation came from the client ("PutItem") and how many faults of each kind were injected
// ("LoseReply"). A repeat by the SDK is a request too. Requests that reached the engine are seen by Plan.Observe.
func (t *Transport) Counts() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}

// Ops returns a function that reports whether an operation is one of those named, for Plan.Only, Next and Hold.
func Ops(names ...string) func(op string) bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return func(op string) bool { return set[op] }
}

// fate is what is to happen to one request. The zero value is: nothing.
type fate struct {
	gate  *gate
	delay time.Duration
	fault Fault
}

// decide settles the fate of the request at its arrival. Numbers are drawn for a scripted fault too, so that a script does not shift
// the random faults that follow it.
func (t *Transport) decide(r *request) fate {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[r.op]++
	result := fate{gate: t.takeGate(r.op)}
	planned := matches(t.plan.Only, r.op)
	var numbers draw
	if planned {
		numbers = t.diceOf(r.op).draw()
		if t.plan.Delay != nil {
			result.delay = t.plan.Delay(r.op)
		}
	}
	if fault, found := t.takeScripted(r); found {
		result.fault = fault
	} else if planned {
		result.fault = t.randomFault(r, numbers)
	}
	return result
}

func (t *Transport) wait(ctx context.Context, f fate) error {
	if f.gate != nil {
		if err := f.gate.wait(ctx); err != nil {
			return err
		}
	}
	if f.delay > 0 {
		return t.plan.Sleep(ctx, f.delay)
	}
	return nil
}

func (t *Transport) observe(op string, body []byte) {
	if t.plan.Observe == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.plan.Observe(op, body)
}

func (t *Transport) count(kind string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[kind]++
}
