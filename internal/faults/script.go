package faults

import "slices"

// scripted is the fault of one request to come.
type scripted struct {
	fault Fault
	match func(op string) bool
}

// Next scripts one request: the next one for whose operation match returns true, and to which the fault can happen, gets exactly this
// fault, whatever the plan says. A nil match means any operation. A nil fault lets the request pass. Calls queue up: the first that fits
// a request is used. The rules for the functions of a Plan hold for match.
func (t *Transport) Next(fault Fault, match func(op string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.script = append(t.script, scripted{fault: fault, match: match})
}

// Pending returns how many scripted faults no request has met yet. A test checks that it is 0 at the end.
func (t *Transport) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.script)
}

// takeScripted removes the first entry of the script that fits the request. The caller holds the lock.
func (t *Transport) takeScripted(r *request) (fault Fault, found bool) {
	i := slices.IndexFunc(t.script, func(s scripted) bool {
		return matches(s.match, r.op) && (s.fault == nil || s.fault.applies(r))
	})
	if i < 0 {
		return nil, false
	}
	fault = t.script[i].fault
	t.script = slices.Delete(t.script, i, i+1)
	return fault, true
}

// matches applies a match function of which nil matches all operations.
func matches(match func(op string) bool, op string) bool {
	return match == nil || match(op)
}
