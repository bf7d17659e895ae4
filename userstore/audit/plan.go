package audit

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// plan is the repair of an account as one change, nil when there is nothing that can be repaired without a person. It rests on what was read:
// on the account's seq, and on the holders of the claims.
func (r *repairer) plan(e evidence, contested map[string]bool, found []Violation, now time.Time) *account.Change {
	p := &repairPlan{
		evidence: e, contested: contested, table: r.kernel.Table, now: now, lease: now.Add(r.kernel.ClaimLease).Truncate(time.Second),
		next: *e.profile, rows: map[string]table.Email{},
	}
	for _, row := range e.emails {
		p.rows[row.EmailID] = row
		p.row(row)
	}
	p.primary()
	p.next.EmailCount = int64(len(p.rows))
	p.badCodes()
	p.rewrite()
	if len(p.parts) == 0 && p.next == *e.profile {
		return nil
	}
	kinds := map[Kind]bool{}
	for _, v := range found {
		kinds[v.Kind] = true
	}
	p.events = append(p.events, account.Event{Type: "user.repaired", Data: map[string]any{"kinds": slices.Sorted(maps.Keys(kinds))}})
	return &account.Change{Profile: p.next, Events: p.events, Rows: p.parts}
}

// repairPlan is the change as it grows.
type repairPlan struct {
	evidence
	contested map[string]bool // addresses that another account has a better right to, or as good a one
	table     string
	now       time.Time
	lease     time.Time // for a claim on an unverified address

	next   table.Profile
	rows   map[string]table.Email // by id, as they shall be
	parts  []dynamo.Part
	events []account.Event
}

// add appends a part whose failure says that the account has changed.
func (p *repairPlan) add(part dynamo.Part) {
	p.parts = append(p.parts, part.Means(func(dynamo.Item) error { return errMoved }))
}

// row repairs a row's relation to its claim.
func (p *repairPlan) row(row table.Email) {
	claim, held := p.claims[row.Email]
	mine := table.Claim{Email: row.Email, UserID: p.userID, EmailID: row.EmailID, ClaimedAt: p.now}
	if !row.IsVerified {
		mine.LeaseUntil = p.lease
	}
	_, otherRow := p.evidence.row(claim.EmailID)
	switch {
	case row.UserID != p.userID:
		if claim.UserID == p.userID && claim.EmailID == row.EmailID {
			row.UserID = p.userID
			p.rows[row.EmailID] = row
		}
	case !held && p.contested[row.Email]:
	case !held:
		p.add(dynamo.Put(p.table, mine.Item()).If(table.Absent()))
	case claim.UserID != p.userID:
		p.drop(row)
	case claim.EmailID != row.EmailID && !otherRow:
		p.add(dynamo.Put(p.table, mine.Item()).If(table.HeldBy(p.userID, claim.EmailID)))
	case claim.EmailID == row.EmailID && claim.Verified() && !row.IsVerified && !row.VerifiedAt.IsZero():
		row.IsVerified = true // both the claim and the time say that it was
		p.rows[row.EmailID] = row
	case row.EmailID == p.next.PrimaryEmailID && !row.IsVerified: // a lease could give a primary address away
	case claim.EmailID == row.EmailID && row.IsVerified != claim.Verified():
		mine.ClaimedAt = claim.ClaimedAt
		p.add(dynamo.Put(p.table, mine.Item()).If(table.HeldBy(p.userID, row.EmailID)))
	}
}

// drop takes an unverified address away that another account holds.
func (p *repairPlan) drop(row table.Email) {
	if row.IsVerified || row.EmailID == p.next.PrimaryEmailID {
		return
	}
	delete(p.rows, row.EmailID)
	p.add(dynamo.Delete(p.table, table.EmailKey(p.userID, row.EmailID)).If(table.VerifiedIs(false)))
	p.add(dynamo.Delete(p.table, table.CodeKey(p.userID, row.EmailID)))
	p.events = append(p.events, account.Event{
		Type: "email.removed", Data: map[string]any{"emailId": row.EmailID, "email": row.Email, "reason": "repaired"},
	})
}

// primary makes the profile name a verified row, and that row alone be marked. A primary address that is not verified is for a person.
func (p *repairPlan) primary() {
	row, named := p.rows[p.next.PrimaryEmailID]
	if named && !row.IsVerified || !named && len(p.rows) == 0 {
		return
	}
	if !named {
		row = p.heir()
	}
	if p.next.Email != row.Email {
		p.events = append(p.events, account.Event{
			Type: "email.primary.changed", Data: map[string]any{"oldEmail": p.next.Email, "newEmail": row.Email},
		})
		p.next.Version++
		p.next.UpdatedAt = p.now
	}
	p.next.PrimaryEmailID, p.next.Email = row.EmailID, row.Email
	for id, r := range p.rows {
		r.IsPrimary = id == row.EmailID
		p.rows[id] = r
	}
}

// heir is the verified row that is marked as primary, or else the oldest one; the zero row when none is verified.
func (p *repairPlan) heir() table.Email {
	verified := slices.DeleteFunc(slices.Collect(maps.Values(p.rows)), func(row table.Email) bool { return !row.IsVerified })
	if len(verified) == 0 {
		return table.Email{}
	}
	return slices.MinFunc(verified, func(a, b table.Email) int {
		if a.IsPrimary != b.IsPrimary {
			return map[bool]int{true: -1, false: 1}[a.IsPrimary]
		}
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.EmailID, b.EmailID))
	})
}

// badCodes removes the codes that no address can be verified with. That of a row that goes is gone already.
func (p *repairPlan) badCodes() {
	for _, code := range p.codes {
		_, was := p.evidence.row(code.EmailID)
		row, stays := p.rows[code.EmailID]
		if !was || stays && (row.IsVerified || code.Attempts > code.MaxAttempts) {
			p.add(dynamo.Delete(p.table, table.CodeKey(p.userID, code.EmailID)).If(table.CodeIs(code.CodeID)))
		}
	}
}

// rewrite updates the rows that shall be another way than they are.
func (p *repairPlan) rewrite() {
	for _, was := range p.emails {
		row, stays := p.rows[was.EmailID]
		if stays && row.UserID == p.userID && (row != was || p.indexWrong[row.EmailID]) {
			key := table.EmailKey(p.userID, row.EmailID)
			p.add(dynamo.Update(p.table, key, row.Rewritten()).If(table.VerifiedIs(was.IsVerified)))
		}
	}
}
