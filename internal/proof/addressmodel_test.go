package proof

// addressState is the sequential specification of one address: who holds it.
type addressState struct {
	holder   string // the account, "" for none
	id       string // the row, "" as long as no answer has told it
	verified bool
	// The lease of an unverified holder ends between these, in seconds.
	leaseMin, leaseMax int64
}

// addressStep is the set of states that an address can be in after an operation, empty when the answer is impossible.
func addressStep(s addressState, r *record) []addressState {
	next, ok := addressRule(s, r)
	told := len(r.events) > 0
	switch {
	case r.outcome.maybe() && !told:
		return []addressState{s}
	case r.outcome == taken:
		// Refused rightly: by a holder whose claim had not lapsed at the call, or who is the caller.
		if s.holder != "" && (s.holder == r.user || s.verified || s.leaseMax > r.callTime.Unix()) {
			return []addressState{s}
		}
		return nil
	case r.outcome != done && !r.outcome.maybe():
		return []addressState{s} // also GetByEmail of nobody: the account may be deleted, which this state does not know
	case ok:
		return []addressState{next}
	}
	return nil
}

// addressRule is the effect of an operation that succeeds, and whether it may succeed. One with events changes something, one
// without finds it so.
func addressRule(s addressState, r *record) (addressState, bool) {
	told := len(r.events) > 0
	isHis := s.holder == r.user && (s.id == "" || r.emailID == "" || s.id == r.emailID)
	switch r.kind {
	case create, add:
		free := s.holder == "" || s.holder != r.user && !s.verified && s.leaseMin <= r.answerAt.Unix()
		next := addressState{holder: r.user, id: r.emailID, verified: r.kind == create && r.verified}
		if !next.verified {
			next.leaseMin, next.leaseMax = r.lease()
		}
		return next, free
	case confirm:
		return addressState{holder: r.user, id: r.emailID, verified: true}, isHis && s.verified != told
	case remove:
		return addressState{}, isHis
	case purge, erase:
		if s.holder == r.user {
			return addressState{}, told
		}
		return s, true
	}
	return s, r.found != nil && s.holder == r.found.UserID && s.verified // GetByEmail
}

// lease is when the lease of an address ends that the operation has acquired: from its answer, or else from its span.
func (r *record) lease() (earliest, latest int64) {
	switch {
	case r.email != nil:
		earliest = r.email.CreatedAt.Add(claimLease).Unix()
		return earliest, earliest
	case r.found != nil:
		earliest = r.found.CreatedAt.Add(claimLease).Unix()
		return earliest, earliest
	}
	return r.callTime.Add(claimLease).Unix(), r.answerAt.Add(claimLease).Unix()
}
