package adopt

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/sweep"
	"github.com/usercore-go/usercore/internal/table"
)

// itemsOfAccount is how many items may be scanned for each account of the pace: more than an account has, so that the accounts set the pace.
const itemsOfAccount = 10

// run goes over all items: old programs leave rows without a profile and claims without a row, which no account leads to.
func (a *adopter) run(ctx context.Context, token string) error {
	_, err := sweep.Sweep{
		Client: a.client,
		Scan:   dynamodb.ScanInput{TableName: &a.kernel.Table, ConsistentRead: aws.Bool(true)},
		Pace:   sweep.NewPace(itemsOfAccount * a.cfg.AccountsPerSecond),
		Visit:  a.page,
		Progress: func(_ int64, token string) {
			a.report.Complete = token == "" // no account is at work now
			if a.cfg.Progress != nil {
				a.cfg.Progress(a.report, token)
			}
		},
	}.Run(ctx, token)
	return err
}

// page looks at the accounts whose PROFILE is on a page, at those of which only rows are, and at its claims.
func (a *adopter) page(ctx context.Context, items []dynamo.Item) error {
	hasProfile := map[string]bool{}
	var claims []table.Claim
	for _, item := range items {
		userID := table.UserOf(item)
		switch {
		case userID != "" && table.IsProfile(item):
			hasProfile[userID] = true
		case userID != "" && table.IsEmail(item):
			if !hasProfile[userID] {
				hasProfile[userID] = false
			}
		case table.OwnsKey(item) && table.IsClaim(item):
			claim, err := table.DecodeClaim(item)
			if err != nil {
				return err
			}
			claims = append(claims, claim)
		}
	}
	var userIDs []string
	for userID := range hasProfile {
		userIDs = append(userIDs, userID)
	}
	err := sweep.Each(ctx, userIDs, func(ctx context.Context, userID string) error {
		if err := a.pace.Wait(ctx, 1); err != nil {
			return err
		}
		if !hasProfile[userID] {
			return a.rowsAlone(ctx, userID)
		}
		return a.account(ctx, userID)
	})
	if err != nil {
		return err
	}
	return a.staleClaims(ctx, claims)
}

// rowsAlone notes an account that has rows and no PROFILE, unless that is on another page.
func (a *adopter) rowsAlone(ctx context.Context, userID string) error {
	items, err := dynamo.Query(ctx, a.client, table.PartitionQuery(a.kernel.Table, userID, table.FromEmails))
	if err != nil || len(items) == 0 || table.IsProfile(items[len(items)-1]) { // PROFILE sorts last
		return err
	}
	a.note(userID, nil, ProfileMissing)
	return nil
}

// staleClaims removes the claims whose row is not there: old programs remove a row and know nothing of its claim.
func (a *adopter) staleClaims(ctx context.Context, claims []table.Claim) error {
	gone, err := a.gone(ctx, claims)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if !gone[claim.Email] {
			continue
		}
		if a.cfg.Apply {
			dropped, err := a.kernel.DropClaim(ctx, claim)
			if err != nil {
				return err
			}
			if !dropped {
				continue // it has changed; the next run looks again
			}
		}
		a.mu.Lock()
		a.report.StaleClaims++
		a.mu.Unlock()
	}
	return nil
}

// gone are the addresses, among those of claims, whose claim names a row that is not there or has another address.
func (a *adopter) gone(ctx context.Context, claims []table.Claim) (map[string]bool, error) {
	var keys []dynamo.Item
	for _, claim := range claims {
		keys = append(keys, table.EmailKey(claim.UserID, claim.EmailID))
	}
	items, err := dynamo.BatchGet(ctx, a.client, a.kernel.Table, keys)
	if err != nil {
		return nil, err
	}
	addresses := map[table.RowID]string{}
	for _, item := range items {
		fixed, _ := table.WithTimes(item)
		row, _ := table.DecodeEmail(fixed) // what cannot be read of it is found with its account
		addresses[table.RowIDOf(item)] = row.Email
	}
	gone := map[string]bool{}
	for _, claim := range claims {
		gone[claim.Email] = addresses[table.RowID{UserID: claim.UserID, EmailID: claim.EmailID}] != claim.Email
	}
	return gone, nil
}
