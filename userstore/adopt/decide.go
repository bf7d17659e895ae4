package adopt

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/address"
	"github.com/usercore-go/usercore/internal/table"
)

// found is what was read of one account: its rows, the claims on their addresses, and the addresses that another account has a verified row of.
type found struct {
	profile table.Profile // Seq is 0 before the adoption
	rows    []table.Email
	claims  map[string]table.Claim
	gone    map[string]bool // addresses whose claim names a row that is not there
	rivals  map[string]bool
	// restamped says that times of the profile, restampedRows that times of a row, by its id, are stored in another form than the library's.
	restamped     bool
	restampedRows map[string]bool
}

// held says whether somebody holds an address: a claim whose row has gone holds nothing.
func (f found) held(address string) bool {
	_, stands := f.claims[address]
	return stands && !f.gone[address]
}

// plan is what an account shall be.
type plan struct {
	profile table.Profile
	rows    []table.Email // those that change
	claims  []table.Claim // those that are missing, or are another way
}

// rules are what the store demands.
type rules struct {
	addresses address.Rules
	maxEmails int64
	lease     time.Duration
	retention time.Duration
}

// decide says what is to be done about an account, nil for nothing, and what a person has to decide. In the plain layout the rows say which
// address is primary, and the profile only repeats it: so the rows lead, and the profile follows.
func (r rules) decide(f found, now time.Time) (*plan, []Kind) {
	problems := append(r.accountProblems(f), r.addressProblems(f)...)
	if int64(len(f.rows)) > r.maxEmails {
		problems = append(problems, TooManyAddresses)
	}
	primary, problem := primaryOf(f)
	if problem != "" {
		return nil, append(problems, problem)
	}
	if slices.ContainsFunc(problems, leaves) {
		return nil, problems
	}
	p := &plan{profile: r.profile(f, primary, now)}
	for _, row := range f.rows {
		marked := row
		marked.UserID, marked.IsPrimary = f.profile.UserID, row.EmailID == primary.EmailID
		if marked != row || f.restampedRows[row.EmailID] {
			p.rows = append(p.rows, marked)
		}
		if claim, missing := r.claim(f, row, now); missing {
			p.claims = append(p.claims, claim)
		}
	}
	if p.profile == f.profile && !f.restamped && len(p.rows)+len(p.claims) == 0 {
		return nil, problems
	}
	return p, problems
}

// leaves says whether a problem keeps the account from being written at all.
func leaves(kind Kind) bool {
	switch kind {
	case NotCanonical, NotAccepted, AddressTwice, StatusUnknown, UserIDRefused, SeqLost:
		return true
	}
	return false
}

// claim is the claim that a row shall have, and whether it lacks it. One with a lease loses it when an old program has verified the address.
func (r rules) claim(f found, row table.Email, now time.Time) (claim table.Claim, missing bool) {
	claim = table.Claim{Email: row.Email, UserID: f.profile.UserID, EmailID: row.EmailID, ClaimedAt: now}
	if !row.IsVerified {
		claim.LeaseUntil = now.Add(r.lease).Truncate(time.Second)
	}
	if !f.held(row.Email) {
		return claim, !outranked(f, row)
	}
	is := f.claims[row.Email]
	return claim, is.UserID == claim.UserID && is.EmailID == row.EmailID && is.Verified() != row.IsVerified
}

// accountProblems are what is wrong with the account itself.
func (r rules) accountProblems(f found) []Kind {
	var problems []Kind
	switch f.profile.Status {
	case "", table.Active, table.Suspended, table.Deleted:
	default:
		problems = append(problems, StatusUnknown)
	}
	adoptedBefore := func(claim table.Claim) bool { return claim.UserID == f.profile.UserID }
	if f.profile.Seq == 0 && slices.ContainsFunc(slices.Collect(maps.Values(f.claims)), adoptedBefore) {
		problems = append(problems, SeqLost)
	}
	if account.UserIDProblem(f.profile.UserID) != "" {
		problems = append(problems, UserIDRefused)
	}
	return problems
}

// addressProblems are what is wrong with the addresses, each kind once.
func (r rules) addressProblems(f found) []Kind {
	kinds, had := map[Kind]bool{}, map[string]bool{}
	for _, row := range f.rows {
		canonical, err := r.addresses.Canonical(row.Email)
		claim, held := f.claims[row.Email], f.held(row.Email)
		kinds[AddressTwice] = kinds[AddressTwice] || had[row.Email]
		had[row.Email] = true
		switch {
		case err != nil:
			kinds[NotAccepted] = true
		case canonical != row.Email:
			kinds[NotCanonical] = true
		case held && claim.UserID != f.profile.UserID, !held && outranked(f, row):
			kinds[DuplicateAddress] = true
		}
	}
	var problems []Kind
	for _, kind := range []Kind{DuplicateAddress, AddressTwice, NotCanonical, NotAccepted} {
		if kinds[kind] {
			problems = append(problems, kind)
		}
	}
	return problems
}

// outranked says whether another account has as good a right to an address that nobody holds: a verified row.
func outranked(f found, row table.Email) bool { return f.rivals[row.Email] }

// primaryOf is the row that is primary; the zero row when no address is verified. Of several that are marked, and when none is, the address
// on the profile decides; if it does not, a person has to.
func primaryOf(f found) (table.Email, Kind) {
	var verified, marked []table.Email
	for _, row := range f.rows {
		if row.IsPrimary && !row.IsVerified {
			return row, PrimaryUnverified
		}
		if row.IsVerified {
			verified = append(verified, row)
		}
		if row.IsPrimary {
			marked = append(marked, row)
		}
	}
	candidates, problem := marked, SeveralPrimaries
	if len(marked) == 0 {
		candidates, problem = verified, NoPrimary
	}
	switch len(marked) {
	case 1:
		return marked[0], ""
	case 0:
		if len(verified) == 0 {
			return table.Email{}, ""
		}
	}
	named := slices.IndexFunc(candidates, func(row table.Email) bool { return row.Email == f.profile.Email })
	if named < 0 {
		return table.Email{}, problem
	}
	return candidates[named], ""
}

// profile is the profile with what the plain layout lacks.
func (r rules) profile(f found, primary table.Email, now time.Time) table.Profile {
	p := f.profile
	p.PrimaryEmailID, p.Email = primary.EmailID, primary.Email
	p.EmailCount = int64(len(f.rows))
	p.Version = max(p.Version, 1)
	p.Status = cmp.Or(p.Status, table.Active)
	if p.Status == table.Deleted && p.DeletedAt.IsZero() {
		p.DeletedAt = cmp.Or(p.UpdatedAt, p.CreatedAt)
		p.PurgeAfter = now.Add(r.retention).Truncate(time.Second) // updatedAt may be years ago, and a purge cannot be undone
	}
	return p
}
