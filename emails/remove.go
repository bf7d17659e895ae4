package emails

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
)

// Remove takes an address away from an account. It is free at once for any account.
//
// It returns, in this order: userstore.ErrNotFound, userstore.ErrNotActive, ErrNotFound, ErrLast, ErrPrimary. Two
// requests.
func (s *Store) Remove(ctx context.Context, userID, emailID string, options ...userstore.Option) (err error) {
	defer s.kernel.Begin(&ctx, "emails.remove", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return wrap("remove", err)
	}
	_, err = s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		From:    table.FromEmails,
		Options: account.Gather(options),
		Decide: func(acc account.Account, _ time.Time) (*account.Change, error) {
			row, err := decideRemove(acc, emailID)
			if err != nil {
				return nil, err
			}
			next := acc.Profile
			next.EmailCount--
			return &account.Change{
				Profile: next,
				Events:  []account.Event{{Type: "email.removed", Data: map[string]any{"emailId": row.EmailID, "email": row.Email}}},
				Rows:    s.removeParts(row),
			}, nil
		},
	})
	return wrap("remove", err)
}

// decideRemove is the rule of Remove.
func decideRemove(acc account.Account, emailID string) (table.Email, error) {
	row, ok := acc.Email(emailID)
	switch {
	case acc.Profile.Status != table.Active:
		return row, account.ErrNotActive
	case !ok:
		return row, ErrNotFound
	case acc.Profile.EmailCount <= 1:
		return row, ErrLast
	case acc.Profile.PrimaryEmailID == emailID:
		return row, ErrPrimary
	}
	return row, nil
}

// removeParts delete the row, its claim, and the code that an unverified one may have.
func (s *Store) removeParts(row table.Email) []dynamo.Part {
	name := s.kernel.Table
	parts := []dynamo.Part{
		dynamo.Delete(name, table.EmailKey(row.UserID, row.EmailID)).If(table.Exists()).Means(either(ErrNotFound, ErrNotFound)),
		dynamo.Delete(name, table.ClaimKey(row.Email)).If(table.HeldBy(row.UserID, row.EmailID)).Guard(),
	}
	if !row.IsVerified {
		parts = append(parts, dynamo.Delete(name, table.CodeKey(row.UserID, row.EmailID)))
	}
	return parts
}
