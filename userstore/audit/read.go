package audit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// reader reads single accounts and claims, strongly consistent.
type reader struct {
	client Client
	table  string
}

// stable reads an account and its claims until two reads in a row are the same, and returns the later one. The seq alone does not tell: Query is
// read-committed against transactions, so it may see the rows before a change and the PROFILE after it.
func (r reader) stable(ctx context.Context, userID string) (evidence, error) {
	var wait dynamo.Backoff
	before, err := r.evidence(ctx, userID)
	if err != nil {
		return evidence{}, err
	}
	for {
		now, err := r.evidence(ctx, userID)
		if err != nil {
			return evidence{}, err
		}
		if now.same(before) {
			return now, nil
		}
		if err := wait.Pause(ctx, errors.New("the account is being changed")); err != nil {
			return evidence{}, fmt.Errorf("reading account %s: %w", userID, err)
		}
		before = now
	}
}

// same says whether two reads show the same profile, rows and claims. Codes are left out: their attempts change without a change of the account.
func (e evidence) same(as evidence) bool {
	profiles := e.profile == as.profile || e.profile != nil && as.profile != nil && *e.profile == *as.profile
	return profiles && slices.Equal(e.emails, as.emails) && maps.Equal(e.claims, as.claims)
}

// evidence reads an account and the claims on its addresses.
func (r reader) evidence(ctx context.Context, userID string) (evidence, error) {
	p, err := r.partition(ctx, userID)
	if err != nil {
		return evidence{}, err
	}
	items, err := dynamo.BatchGet(ctx, r.client, r.table, p.claimKeys())
	if err != nil {
		return evidence{}, err
	}
	return evidence{partition: *p, claims: claimsIn(items)}, nil
}

// claimsIn are the claims among items, by address. One that cannot be decoded is found when the scan comes to it.
func claimsIn(items []dynamo.Item) map[string]table.Claim {
	claims := make(map[string]table.Claim, len(items))
	for _, item := range items {
		if claim, err := table.DecodeClaim(item); err == nil || claim.UserID != "" {
			claims[claim.Email] = claim
		}
	}
	return claims
}

// partition reads the items of one account. What cannot be decoded was noted by the scan.
func (r reader) partition(ctx context.Context, userID string) (*partition, error) {
	items, err := dynamo.Query(ctx, r.client, table.PartitionQuery(r.table, userID, table.FromCodes))
	if err != nil {
		return nil, err
	}
	p := &partition{userID: userID}
	for _, item := range items {
		if err := p.add(item); err != nil && !errors.Is(err, dynamo.ErrCorrupt) {
			return nil, err
		}
	}
	return p, nil
}

// rowless says whether a claim stands and names a row that is not there. A row is made and removed together with its claim, and its id is
// never used again: when the claim is the same before and after the row was missed, it is without one.
func (r reader) rowless(ctx context.Context, claim table.Claim) (bool, error) {
	for range 2 {
		item, err := dynamo.Get(ctx, r.client, r.table, table.ClaimKey(claim.Email))
		if err != nil || item == nil {
			return false, err
		}
		now, err := table.DecodeClaim(item)
		if err != nil || now.UserID != claim.UserID || now.EmailID != claim.EmailID {
			return false, nil // it is another one now
		}
		has, err := r.hasRow(ctx, claim)
		if err != nil || has {
			return false, err
		}
	}
	return true, nil
}

// hasRow says whether the account of a claim has a row of its address, whatever the id: a claim of the wrong row is found with the account.
func (r reader) hasRow(ctx context.Context, claim table.Claim) (bool, error) {
	if claim.UserID == "" {
		return false, nil
	}
	p, err := r.partition(ctx, claim.UserID)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(p.emails, func(row table.Email) bool { return row.Email == claim.Email }), nil
}
