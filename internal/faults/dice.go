package faults

import (
	"hash/fnv"
	"math/rand/v2"
)

// dice are the random numbers of one operation. Each operation has its own, so that its n-th request meets the same fault whatever
// the other operations do.
type dice struct {
	random *rand.Rand
	// inRow counts the random faults since a request of the operation last passed.
	inRow int
}

// draw is what one request draws, always both numbers: the draws of a request do not depend on what became of those before it.
type draw struct {
	// chance, in [0,1), selects the kind, pick its details.
	chance float64
	pick   uint64
}

// diceOf returns the dice of the operation. The caller holds the lock.
func (t *Transport) diceOf(op string) *dice {
	d, found := t.dice[op]
	if !found {
		name := fnv.New64a()
		name.Write([]byte(op)) // a hash's Write returns no error
		d = &dice{random: rand.New(rand.NewPCG(t.plan.Seed, name.Sum64()))}
		t.dice[op] = d
	}
	return d
}

func (d *dice) draw() draw {
	return draw{chance: d.random.Float64(), pick: d.random.Uint64()}
}

// randomFault returns the fault that the plan has for the request, or nil. The caller holds the lock.
func (t *Transport) randomFault(r *request, numbers draw) Fault {
	d := t.diceOf(r.op)
	fault := t.faultFor(r, numbers)
	if fault == nil || t.plan.MaxInRow > 0 && d.inRow == t.plan.MaxInRow {
		d.inRow = 0
		return nil
	}
	d.inRow++
	return fault
}

// faultFor looks up the numbers in the odds: each kind has an interval of [0,1) as long as it is probable. A kind that cannot happen to
// the request keeps its interval, so that each other kind is exactly as probable as the plan says.
func (t *Transport) faultFor(r *request, numbers draw) Fault {
	end := 0.0
	for _, o := range t.odds {
		if end += o.probability; numbers.chance < end {
			if fault := o.fault(r, numbers.pick); fault.applies(r) {
				return fault
			}
			return nil
		}
	}
	return nil
}
