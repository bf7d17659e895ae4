package userstore

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Purge erases a deleted account whose retention is over: personal data, addresses, claims and codes, in one
// transaction. A tombstone stays, so the user id is never used again; its addresses are free. A purged account stays
// as it is.
//
// It returns ErrNotFound, and ErrStatus for an account that is not deleted, or is still retained. Two requests; the
// transaction has 2 actions, and 2 for each verified and 3 for each unverified address.
func (s *Store) Purge(ctx context.Context, userID string, options ...Option) (err error) {
	defer s.kernel.Begin(&ctx, "userstore.purge", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return wrap("purge", err)
	}
	_, err = s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		From:    table.FromCodes,
		Options: account.Gather(options),
		Decide: func(acc account.Account, now time.Time) (*account.Change, error) {
			return decidePurge(acc, s.kernel.Table, now)
		},
	})
	return wrap("purge", err)
}

func decidePurge(acc account.Account, tableName string, now time.Time) (*account.Change, error) {
	p := acc.Profile
	if p.Purged() {
		return nil, nil
	}
	if p.Status != table.Deleted || p.PurgeAfter.Unix() > now.Unix() {
		return nil, ErrStatus
	}
	change := purged(p, acc, tableName)
	change.Guard = table.Purgeable(now)
	return change, nil
}

// purged leaves a tombstone of a profile, and nothing of its rows.
func purged(p table.Profile, acc account.Account, tableName string) *account.Change {
	change := &account.Change{
		Profile: table.Profile{
			UserID: p.UserID, Status: table.Deleted, Seq: p.Seq, Version: p.Version, CreatedAt: p.CreatedAt, DeletedAt: p.DeletedAt,
		},
		Events: []account.Event{{Type: "user.purged"}},
	}
	for _, row := range acc.Emails {
		change.Rows = append(change.Rows,
			dynamo.Delete(tableName, table.EmailKey(p.UserID, row.EmailID)).If(table.Exists()).Guard(),
			dynamo.Delete(tableName, table.ClaimKey(row.Email)).If(table.HeldBy(p.UserID, row.EmailID)).Guard(),
		)
		if _, ok := acc.Codes[row.EmailID]; ok {
			change.Rows = append(change.Rows, dynamo.Delete(tableName, table.CodeKey(p.UserID, row.EmailID)))
		}
	}
	return change
}
