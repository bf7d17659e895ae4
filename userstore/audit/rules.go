package audit

import (
	"slices"

	"github.com/usercore-go/usercore/internal/table"
)

// rules are the invariants of one account and its addresses, as a pure function of what was read.
type rules struct{ maxEmails int64 }

// evidence is what bears on one account: its partition, and the claims on its addresses.
type evidence struct {
	partition
	claims map[string]table.Claim // by address
}

// row finds an address row by its id.
func (p partition) row(emailID string) (table.Email, bool) {
	i := slices.IndexFunc(p.emails, func(row table.Email) bool { return row.EmailID == emailID })
	if i < 0 {
		return table.Email{}, false
	}
	return p.emails[i], true
}

// check returns all that is wrong with an account.
func (r rules) check(e evidence) []Violation {
	c := checker{evidence: e}
	if e.profile == nil && len(e.emails) > 0 {
		c.note(profileMissing, "")
	}
	if e.profile != nil {
		c.profile(*e.profile)
		c.counts(*e.profile, r.maxEmails)
		c.primary(*e.profile)
	}
	c.rows()
	c.codes()
	return c.found
}

// checker goes over one account and notes what it finds.
type checker struct {
	evidence
	found []Violation
}

func (c *checker) note(kind Kind, emailID string) {
	c.found = append(c.found, violation(kind, c.userID, emailID))
}

// profile is what the PROFILE says of itself.
func (c *checker) profile(p table.Profile) {
	if p.UserID != c.userID {
		c.note(profileMisplaced, "")
	}
	switch p.Status {
	case table.Active, table.Suspended:
	case table.Deleted:
		if p.DeletedAt.IsZero() {
			c.note(retentionMissing, "")
		}
	default:
		c.note(statusUnknown, "")
	}
	if p.Version < 1 || p.Seq < 1 {
		c.note(countersWrong, "")
	}
}

// counts is I4: the profile counts its rows, and there are 1 to most; none only before the first verified address and after
// the purge.
func (c *checker) counts(p table.Profile, most int64) {
	rows := int64(len(c.emails))
	switch {
	case p.EmailCount != rows:
		c.note(countWrong, "")
	case rows > most:
		c.note(tooManyAddresses, "")
	case rows == 0 && p.PrimaryEmailID != "":
		c.note(noAddress, "")
	}
}

// primary is I3: the profile names one verified row, that row alone has isPrimary, and a verified address implies it.
func (c *checker) primary(p table.Profile) {
	_, named := c.row(p.PrimaryEmailID)
	for _, row := range c.emails {
		is := row.EmailID == p.PrimaryEmailID
		switch {
		case is && !row.IsVerified:
			c.note(primaryUnverified, row.EmailID)
		case is && !row.IsPrimary:
			c.note(primaryNotMarked, row.EmailID)
		case is && row.Email != p.Email:
			c.note(primaryDiffers, row.EmailID)
		case !is && row.IsPrimary:
			c.note(secondPrimary, row.EmailID)
		case p.PrimaryEmailID == "" && row.IsVerified:
			c.note(noPrimary, row.EmailID)
		}
	}
	if p.PrimaryEmailID != "" && !named && len(c.emails) > 0 {
		c.note(primaryMissing, p.PrimaryEmailID)
	}
}

// rows is I2 from the rows' side: each has its claim. A claim of another account is I1: two accounts with one address.
func (c *checker) rows() {
	for _, row := range c.emails {
		if c.indexWrong[row.EmailID] {
			c.note(indexWrong, row.EmailID)
		}
		claim, ok := c.claims[row.Email]
		switch {
		case row.UserID != c.userID:
			c.note(rowMisplaced, row.EmailID)
		case !ok:
			c.note(claimMissing, row.EmailID)
		case claim.UserID != row.UserID:
			c.note(addressShared, row.EmailID)
		case claim.EmailID != row.EmailID:
			c.note(claimOfOtherRow, row.EmailID)
		case row.IsVerified && !claim.Verified():
			c.note(verifiedWithLease, row.EmailID)
		case !row.IsVerified && claim.Verified():
			c.note(unverifiedWithoutLease, row.EmailID)
		}
	}
}

// codes is I8, no code outlives its row or its verification, and I5.
func (c *checker) codes() {
	for _, code := range c.partition.codes {
		row, has := c.row(code.EmailID)
		switch {
		case !has:
			c.note(codeWithoutRow, code.EmailID)
		case row.IsVerified:
			c.note(codeOfVerified, code.EmailID)
		case code.Attempts > code.MaxAttempts:
			c.note(attemptsExceeded, code.EmailID)
		}
	}
}
