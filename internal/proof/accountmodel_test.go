package proof

import (
	"slices"
	"strings"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

// accountState is the sequential specification of one account: as much of it as lost updates, addresses verified twice and
// second primaries show in. Limits, codes and claims are not in it; their errors are open, see accountRule.
type accountState struct {
	exists  bool
	status  userstore.Status
	purged  bool
	hold    bool // suspended when it was deleted
	version int64
	name    string
	primary string // the address, "" for none
	count   int
	rows    [maxEmails]rowState // sorted by address, unused ones last
	// purgeAfter lies between these, in seconds; they are equal once an answer has told it.
	purgeMin, purgeMax int64
}

// rowState is one address of an account. The id is "" as long as no answer has told it, the time of verification 0.
type rowState struct {
	address, id string
	verified    bool
	verifiedAt  int64
}

func (s accountState) row(address string) (int, bool) {
	i := slices.IndexFunc(s.rows[:s.count], func(r rowState) bool { return r.address == address })
	return i, i >= 0
}

func (s accountState) with(row rowState) accountState {
	s.rows[s.count] = row
	s.count++
	slices.SortFunc(s.rows[:s.count], func(a, b rowState) int { return strings.Compare(a.address, b.address) })
	return s
}

func (s accountState) without(i int) accountState {
	copy(s.rows[i:], s.rows[i+1:])
	s.count--
	s.rows[s.count] = rowState{}
	return s
}

// bind makes the state definite about the row of an operation: either the row of its address is the one that it names, or
// it is another one. There is a choice only while no answer has told the row's id.
func (s accountState) bind(r *record) []accountState {
	i, ok := s.row(r.address)
	if !ok || r.emailID == "" || s.rows[i].id != "" {
		return []accountState{s}
	}
	same := s
	same.rows[i].id = r.emailID
	return []accountState{same, s}
}

// accountStep is the set of states that an account can be in after an operation, empty when the answer is impossible.
func accountStep(s accountState, r *record) []accountState {
	var after []accountState
	for _, bound := range s.bind(r) {
		for _, early := range []bool{true, false} {
			after = append(after, bound.judge(accountRule(bound, r, early), r)...)
		}
	}
	return after
}

// verdict is what the specification makes of an operation.
type verdict struct {
	next    accountState
	outcome outcome
	// open are errors that rest on what is not in the state: they may take the place of a success.
	open []outcome
}

// judge holds an answer against the verdict. An operation has events if and only if it changes the account: that also tells what
// became of one that is committed or not.
func (s accountState) judge(v verdict, r *record) []accountState {
	changes := v.outcome == done && (v.next != s || r.kind == revoke)
	told := len(r.events) > 0 || r.kind == lapse
	switch {
	case told && !changes:
		return nil
	case r.outcome.maybe() && told:
		return []accountState{v.next}
	case r.outcome.maybe() || r.outcome == unavailable || r.outcome == contention:
		return []accountState{s}
	case v.outcome == done && slices.Contains(v.open, r.outcome):
		return []accountState{s}
	case r.outcome != v.outcome || changes && !told:
		return nil
	}
	if next, ok := v.next.matches(r); ok {
		return []accountState{next}
	}
	return nil
}

// matches compares what an answer shows with the state, and takes from it what the state did not know.
func (s accountState) matches(r *record) (accountState, bool) {
	if u := r.found; u != nil {
		is := u.Status == s.status && u.Version == s.version && u.FirstName == s.name && u.Email == s.primary && u.EmailCount == s.count
		if !is || !s.purgeAfter(u) {
			return s, false
		}
		if i, ok := s.row(u.Email); ok && !s.learn(i, u.PrimaryEmailID, 0) {
			return s, false
		}
	}
	shown := r.rows
	if r.email != nil {
		shown = []emails.Email{*r.email}
	}
	if (r.kind == list || r.kind == profile) && r.outcome == done && len(shown) != s.count {
		return s, false
	}
	for _, e := range shown {
		i, ok := s.row(e.Email)
		if !ok || s.rows[i].verified != e.IsVerified || (s.primary == e.Email) != e.IsPrimary || e.VerifiedAt.IsZero() == e.IsVerified {
			return s, false
		}
		var at int64
		if e.IsVerified {
			at = e.VerifiedAt.UnixMilli()
		}
		if !s.learn(i, e.EmailID, at) {
			return s, false
		}
	}
	return s, true
}

// purgeAfter takes the time that an answer shows.
func (s *accountState) purgeAfter(u *userstore.User) bool {
	if s.status != userstore.Deleted || s.purged {
		return u.PurgeAfter.IsZero()
	}
	at := u.PurgeAfter.Unix()
	if at < s.purgeMin || at > s.purgeMax {
		return false
	}
	s.purgeMin, s.purgeMax = at, at
	return true
}

// learn takes the id and the time of verification of a row, 0 for none.
func (s *accountState) learn(i int, id string, at int64) bool {
	row := &s.rows[i]
	if row.id == "" {
		row.id = id
	}
	if row.verifiedAt == 0 {
		row.verifiedAt = at
	}
	return row.id == id && (at == 0 || row.verifiedAt == at)
}
