package emails

import (
	"context"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
)

// SetPrimary makes a verified address the account's primary one, in place of the old. The primary address stays as it
// is.
//
// It returns, in this order: userstore.ErrNotFound, userstore.ErrNotActive, ErrNotFound, ErrNotVerified. Two requests;
// one when it is the primary address.
func (s *Store) SetPrimary(ctx context.Context, userID, emailID string, options ...userstore.Option) (_ Email, err error) {
	defer s.kernel.Begin(&ctx, "emails.set_primary", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return Email{}, wrap("set primary", err)
	}
	var row table.Email
	acc, err := s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		From:    table.FromEmails,
		Options: account.Gather(options),
		Decide: func(acc account.Account, now time.Time) (change *account.Change, err error) {
			row, change, err = decidePrimary(acc, emailID, now)
			if change != nil {
				change.Rows = s.primaryParts(acc, row)
			}
			return change, err
		},
	})
	if err != nil {
		return Email{}, wrap("set primary", err)
	}
	return newEmail(row, acc.Profile), nil
}

// decidePrimary is the rule of SetPrimary.
func decidePrimary(acc account.Account, emailID string, now time.Time) (table.Email, *account.Change, error) {
	p := acc.Profile
	row, ok := acc.Email(emailID)
	switch {
	case p.Status != table.Active:
		return row, nil, account.ErrNotActive
	case !ok:
		return row, nil, ErrNotFound
	case p.PrimaryEmailID == emailID:
		return row, nil, nil
	case !row.IsVerified:
		return row, nil, ErrNotVerified
	case p.PrimaryEmailID == "":
		return row, nil, fmt.Errorf("%w: an account with a verified address has no primary one", account.ErrCorrupt)
	}
	change := &account.Change{Profile: p, Guard: table.PrimaryIs(p.PrimaryEmailID)}
	makePrimary(change, row, now)
	return row, change, nil
}

// primaryParts move isPrimary from the old row to the new one.
func (s *Store) primaryParts(acc account.Account, row table.Email) []dynamo.Part {
	name, p := s.kernel.Table, acc.Profile
	old := table.Email{IsPrimary: true}
	primary := row
	row.IsPrimary, primary.IsPrimary = false, true
	return []dynamo.Part{
		dynamo.Update(name, table.EmailKey(p.UserID, p.PrimaryEmailID), old.To(table.Email{})).If(table.Exists()).Guard(),
		dynamo.Update(name, table.EmailKey(p.UserID, row.EmailID), row.To(primary)).If(table.VerifiedIs(true)).
			Means(either(ErrNotFound, ErrNotVerified)),
	}
}
