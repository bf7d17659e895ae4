package userstore

import (
	"context"
	"slices"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Erase does at once what Delete and, after the retention, Purge do: it removes the personal data of an account of any status, for a request
// that the law does not let wait. It cannot be undone. A tombstone stays, so the user id is never used again; its addresses are free. An
// account that is purged stays as it is.
//
// What it does not reach: events that were published, which carry addresses; events that wait in the outbox, until they are published; the
// limits on sends, whose keys hold the address for an hour; the counts of confirmation attempts, under a hash of the address for 25 hours;
// backups, until they end; and your own items.
//
// It returns ErrNotFound. Two requests; the transaction has 2 actions, and 2 for each verified and 3 for each unverified address. There are
// two events, user.deleted and user.purged, or the second alone for a deleted account.
func (s *Store) Erase(ctx context.Context, userID string, options ...Option) (err error) {
	defer s.kernel.Begin(&ctx, "userstore.erase", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return wrap("erase", err)
	}
	_, err = s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		From:    table.FromCodes,
		Options: account.Gather(options),
		Decide: func(acc account.Account, now time.Time) (*account.Change, error) {
			return decideErase(acc, s.kernel.Table, now), nil
		},
	})
	return wrap("erase", err)
}

func decideErase(acc account.Account, tableName string, now time.Time) *account.Change {
	p := acc.Profile
	if p.Purged() {
		return nil
	}
	var events []account.Event
	if p.Status != table.Deleted {
		p.DeletedAt = now
		events = append(events, account.Event{Type: "user.deleted"})
	}
	change := purged(p, acc, tableName)
	change.Events = slices.Concat(events, change.Events)
	for _, row := range acc.Emails { // a code may have been sent since the account was read: it moves no seq
		if _, seen := acc.Codes[row.EmailID]; !row.IsVerified && !seen {
			change.Rows = append(change.Rows, dynamo.Delete(tableName, table.CodeKey(p.UserID, row.EmailID)))
		}
	}
	return change
}
