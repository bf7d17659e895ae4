package faults

import (
	"context"
	"fmt"
	"time"
)

// Plan says which faults happen at random. The zero value injects none.
//
// The functions of a Plan are called one at a time, from the goroutines that send requests. They must be quick and must not call the
// methods of the Transport.
type Plan struct {
	// Seed selects the random numbers. Every value is a seed, zero too.
	Seed uint64

	// Each of these is the probability, 0 to 1, that the kind happens to a request to which it can happen (the package page has the
	// table). At most one happens to a request, so they must not add up to more than 1.
	Conflict, PartConflict, PartThrottle, Throttle, Internal, LoseRequest, LoseReply, Unprocessed float64

	// MaxInRow is how many requests of one operation may meet a random fault one after the other before one passes. Below the SDK's
	// number of attempts, it makes sure that a sequential caller gets through. 0 is no limit. Scripted faults do not count.
	MaxInRow int

	// Only limits random faults and delays to the operations for which it returns true. Nil means all operations.
	Only func(op string) bool

	// Delay returns how long a request waits before it goes on. Nil, and a result of zero or less, mean no wait.
	Delay func(op string) time.Duration

	// Sleep waits for what Delay returned and returns early, with the context's error, when the context ends. Nil waits on a timer.
	// Unlike the other functions it is called concurrently.
	Sleep func(ctx context.Context, d time.Duration) error

	// Observe sees every request that is about to reach the engine, with the body as the engine gets it. It must not change
	// the body nor keep it. Nil observes nothing.
	Observe func(op string, body []byte)
}

// odds is the chance of one kind.
type odds struct {
	// field is the name in Plan.
	field       string
	probability float64
	// fault makes the fault for the request. The pick is a random number for its details. The fault may not apply to the request.
	fault func(r *request, pick uint64) Fault
}

// odds lists the kinds in a fixed order: the order is part of what a seed means.
func (p Plan) odds() []odds {
	return []odds{
		{"Conflict", p.Conflict, func(*request, uint64) Fault { return Conflict{} }},
		{"PartConflict", p.PartConflict, func(r *request, pick uint64) Fault { return PartConflict{Index: pickBelow(pick, r.actions())} }},
		{"PartThrottle", p.PartThrottle, func(r *request, pick uint64) Fault { return PartThrottle{Index: pickBelow(pick, r.actions())} }},
		{"Throttle", p.Throttle, func(_ *request, pick uint64) Fault { return Throttle{Account: pick%2 == 1} }},
		{"Internal", p.Internal, func(*request, uint64) Fault { return Internal{} }},
		{"LoseRequest", p.LoseRequest, func(*request, uint64) Fault { return LoseRequest{} }},
		{"LoseReply", p.LoseReply, func(*request, uint64) Fault { return LoseReply{} }},
		{"Unprocessed", p.Unprocessed, func(r *request, pick uint64) Fault { return randomUnprocessed(r, pick) }},
	}
}

// validate returns an error that names the first field with a bad value.
func (p Plan) validate() error {
	sum := 0.0
	for _, o := range p.odds() {
		// Written so that NaN fails.
		if !(o.probability >= 0 && o.probability <= 1) {
			return fmt.Errorf("faults: Plan.%s is %v, want a probability from 0 to 1", o.field, o.probability)
		}
		sum += o.probability
	}
	// Probabilities that add up to 1 on paper may come out a little above it in binary.
	const rounding = 1e-9
	if sum > 1+rounding {
		return fmt.Errorf("faults: the probabilities of Plan add up to %v, want at most 1", sum)
	}
	if p.MaxInRow < 0 {
		return fmt.Errorf("faults: Plan.MaxInRow is %d, want 0 or more", p.MaxInRow)
	}
	return nil
}

// pickBelow reduces a random number to 0…n-1, and to 0 if n is not positive. The bias is far below what a test could see.
func pickBelow(pick uint64, n int) int {
	return int(pick % uint64(max(n, 1)))
}

// sleep waits on a timer.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
