package emails

import (
	"context"
	"errors"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// errReplaced says that the row or its code is not as it was compared any more: Confirm starts anew, and so judges the account
// before the row.
var errReplaced = errors.New("the address or its code has changed since the code was compared")

// verify marks the address of a right code as verified, once. It is the second half of Confirm.
func (s *Store) verify(ctx context.Context, acc account.Account, try attempt, options account.Options) (Email, error) {
	row := try.row
	verified := row
	options.Loaded = &acc
	after, err := s.kernel.Run(ctx, account.Operation{
		UserID:  row.UserID,
		Options: options,
		Decide: func(acc account.Account, now time.Time) (*account.Change, error) {
			change, err := decideVerify(acc.Profile, row, now)
			if err != nil {
				return nil, err
			}
			verified.IsVerified, verified.VerifiedAt = true, now
			verified.IsPrimary = change.Profile.PrimaryEmailID == row.EmailID
			change.Rows = s.verifyParts(row, verified, try.code)
			return change, nil
		},
	})
	return newEmail(verified, after.Profile), err
}

// decideVerify is the rule of Confirm once the code is right: the first verified address becomes the primary one.
func decideVerify(p table.Profile, row table.Email, now time.Time) (*account.Change, error) {
	if p.Status != table.Active {
		return nil, account.ErrNotActive
	}
	change := &account.Change{
		Profile: p,
		Events:  []account.Event{{Type: "email.verified", Data: map[string]any{"emailId": row.EmailID, "email": row.Email}}},
		Guard:   table.HasPrimary(),
	}
	if p.PrimaryEmailID == "" {
		change.Guard = table.PrimaryIs("")
		makePrimary(change, row, now)
	}
	return change, nil
}

// makePrimary makes a row the account's primary address, which clients see.
func makePrimary(change *account.Change, row table.Email, now time.Time) {
	p := &change.Profile
	change.Events = append(change.Events, account.Event{
		Type: "email.primary.changed", Data: map[string]any{"oldEmail": p.Email, "newEmail": row.Email},
	})
	p.PrimaryEmailID, p.Email = row.EmailID, row.Email
	p.Version++
	p.UpdatedAt = now
}

// verifyParts spend the code and make row and claim permanent.
func (s *Store) verifyParts(row, verified table.Email, code table.Code) []dynamo.Part {
	name := s.kernel.Table
	return []dynamo.Part{
		dynamo.Update(name, table.EmailKey(row.UserID, row.EmailID), row.To(verified)).If(table.VerifiedIs(false)).
			Means(either(ErrNotFound, errReplaced)),
		dynamo.Delete(name, table.CodeKey(row.UserID, row.EmailID)).If(table.CodeIs(code.CodeID)).
			Means(either(ErrNoCode, errReplaced)),
		dynamo.Update(name, table.ClaimKey(row.Email), table.NoLease()).If(table.HeldBy(row.UserID, row.EmailID)).Guard(),
	}
}
