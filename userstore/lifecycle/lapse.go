package lifecycle

import (
	"context"
	"errors"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// errKept says that the address is verified, has gone, or belongs to somebody else by now.
var errKept = errors.New("the address is no longer due")

// lapse takes an unverified address whose life is over from its account, whatever the account's status, and even if it is the only one: as
// another account could have done that asked for it.
func (j *Janitor) lapse(ctx context.Context, claim table.Claim) (err error) {
	defer j.kernel.Begin(&ctx, "lifecycle.lapse", claim.UserID).End(&err)
	_, err = j.kernel.Run(ctx, account.Operation{
		UserID: claim.UserID,
		From:   table.FromEmails,
		Decide: func(acc account.Account, _ time.Time) (*account.Change, error) {
			return decideLapse(acc, claim, j.kernel.Table)
		},
	})
	return err
}

func decideLapse(acc account.Account, claim table.Claim, tableName string) (*account.Change, error) {
	row, has := acc.Email(claim.EmailID)
	if !has || row.IsVerified || row.Email != claim.Email {
		return nil, errKept
	}
	next := acc.Profile
	next.EmailCount--
	kept := func(dynamo.Item) error { return errKept }
	change := &account.Change{
		Profile: next,
		Events: []account.Event{{
			Type: "email.removed", Data: map[string]any{"emailId": row.EmailID, "email": row.Email, "reason": "lapsed"},
		}},
		Rows: []dynamo.Part{
			dynamo.Delete(tableName, table.EmailKey(row.UserID, row.EmailID)).If(table.VerifiedIs(false)).Means(kept),
			dynamo.Delete(tableName, table.ClaimKey(row.Email)).
				If(table.HeldBy(row.UserID, row.EmailID).And(table.LapsedAt(claim.LeaseUntil))).Means(kept),
			dynamo.Delete(tableName, table.CodeKey(row.UserID, row.EmailID)), // one may have been sent just now: it moves no seq
		},
	}
	return change, nil
}
