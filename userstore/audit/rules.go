package audit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/usercore-go/usercore/internal/table"
)

// rules are the invariants of one account and its claims, as a pure function of what was read.
type rules struct{ maxEmails int64 }

// evidence is what bears on one account: its partition, the claims on its addresses, and the claims that name it.
type evidence struct {
	partition partition
	byAddress map[string]table.Claim // the claim on each address of the rows
	naming    []table.Claim          // the claims whose holder is the account
}

// check returns all that is wrong with an account.
func (r rules) check(e evidence) []Violation {
	c := checker{evidence: e}
	c.counts(r.maxEmails)
	c.primary()
	c.rows()
	c.claims()
	c.codes()
	return c.found
}

// suspects are the accounts that something seems to be wrong with, in order.
func (r rules) suspects(t *contents) []string {
	ids := map[string]bool{}
	for userID := range t.partitions {
		ids[userID] = true
	}
	for _, claim := range t.claims {
		ids[claim.UserID] = true
	}
	var suspects []string
	for _, userID := range slices.Sorted(maps.Keys(ids)) {
		if len(r.check(t.evidence(userID))) > 0 {
			suspects = append(suspects, userID)
		}
	}
	return suspects
}

// checker goes over one account and notes what it finds.
type checker struct {
	evidence
	found []Violation
}

func (c *checker) note(invariant, kind, emailID, format string, args ...any) {
	c.found = append(c.found, Violation{
		Invariant: invariant, Kind: kind, UserID: c.partition.userID, EmailID: emailID, Detail: fmt.Sprintf(format, args...),
	})
}

// counts is I4: the profile counts its rows, and there are 1 to max; none only before the first verified address and after
// the purge.
func (c *checker) counts(most int64) {
	p, rows := c.partition.profile, int64(len(c.partition.emails))
	switch {
	case p == nil && rows > 0:
		c.note("I2", "profile_missing", "", "there are %d address rows and no profile", rows)
	case p == nil:
	case p.EmailCount != rows:
		c.note("I4", "count_wrong", "", "the profile counts %d addresses, there are %d", p.EmailCount, rows)
	case rows > most:
		c.note("I4", "too_many_addresses", "", "there are %d addresses, at most %d are allowed", rows, most)
	case rows == 0 && p.PrimaryEmailID != "":
		c.note("I4", "no_address", "", "an account that had a verified address has none")
	}
}

// primary is I3: the profile names one verified row, that row alone has isPrimary, and a verified address implies it.
func (c *checker) primary() {
	p := c.partition.profile
	if p == nil {
		return
	}
	named := false
	for _, row := range c.partition.emails {
		is := row.EmailID == p.PrimaryEmailID
		named = named || is
		switch {
		case is && !row.IsVerified:
			c.note("I3", "primary_unverified", row.EmailID, "the primary address is not verified")
		case is && !row.IsPrimary:
			c.note("I3", "primary_not_marked", row.EmailID, "the row of the primary address does not say so")
		case is && row.Email != p.Email:
			c.note("I3", "primary_differs", row.EmailID, "profile and row of the primary address differ")
		case !is && row.IsPrimary:
			c.note("I3", "second_primary", row.EmailID, "a row says that it is primary, the profile names another")
		case p.PrimaryEmailID == "" && row.IsVerified:
			c.note("I3", "no_primary", row.EmailID, "there is a verified address and no primary one")
		}
	}
	if p.PrimaryEmailID != "" && !named && len(c.partition.emails) > 0 {
		c.note("I3", "primary_missing", p.PrimaryEmailID, "the profile names a primary address that has no row")
	}
}

// rows is I2 from the rows' side: each has its claim. A claim of another account is I1: two accounts with one address.
func (c *checker) rows() {
	for _, row := range c.partition.emails {
		claim, ok := c.byAddress[row.Email]
		switch {
		case row.UserID != c.partition.userID:
			c.note("I2", "row_misplaced", row.EmailID, "the row names another account than its key")
		case !ok:
			c.note("I2", "claim_missing", row.EmailID, "nobody holds the address of the row")
		case claim.UserID != row.UserID:
			c.note("I1", "address_shared", row.EmailID, "another account holds the address")
		case claim.EmailID != row.EmailID:
			c.note("I2", "claim_of_other_row", row.EmailID, "the claim names another row of the account")
		case row.IsVerified && !claim.Verified():
			c.note("I2", "verified_with_lease", row.EmailID, "a verified address can be taken over")
		case !row.IsVerified && claim.Verified():
			c.note("I2", "unverified_without_lease", row.EmailID, "an unverified address is held for good")
		}
	}
}

// claims is I2 from the claims' side: each has its row.
func (c *checker) claims() {
	for _, claim := range c.naming {
		has := slices.ContainsFunc(c.partition.emails, func(row table.Email) bool {
			return row.EmailID == claim.EmailID && row.Email == claim.Email
		})
		if !has {
			c.note("I2", "claim_without_row", claim.EmailID, "a claim names a row that is not there")
		}
	}
}

// codes is I8: no code outlives its row, nor its verification.
func (c *checker) codes() {
	for _, code := range c.partition.codes {
		i := slices.IndexFunc(c.partition.emails, func(row table.Email) bool { return row.EmailID == code.EmailID })
		switch {
		case i < 0:
			c.note("I8", "code_without_row", code.EmailID, "a code belongs to no address")
		case c.partition.emails[i].IsVerified:
			c.note("I8", "code_of_verified", code.EmailID, "a verified address has a code")
		}
	}
}
