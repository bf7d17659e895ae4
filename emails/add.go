package emails

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
)

// Added is the result of Add.
type Added struct {
	Email
	// ExpiresIn is how long the code that was sent is valid.
	ExpiresIn time.Duration
	// SendErr is why the code was not sent, nil when it was. The address is added all the same: call SendCode later.
	SendErr error
}

// Add gives an account one more address, unverified, and sends a verification code to it.
//
// It returns, in this order: a *userstore.ValidationError, userstore.ErrNotFound, userstore.ErrNotActive, ErrTooMany,
// ErrTaken, a *LimitError. Two requests, one with userstore.Loaded; taking over a lapsed address four.
func (s *Store) Add(ctx context.Context, userID, address string, options ...userstore.Option) (_ Added, err error) {
	defer s.kernel.Begin(&ctx, "emails.add", userID).End(&err)
	row, err := s.newRow(userID, address)
	if err != nil {
		return Added{}, wrap("add", err)
	}
	code := s.newCode(row, row.CreatedAt)
	_, err = s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		Options: account.Gather(options),
		Decide: func(acc account.Account, now time.Time) (*account.Change, error) {
			if err := decideAdd(acc.Profile, s.kernel.MaxEmails); err != nil {
				return nil, err
			}
			next := acc.Profile
			next.EmailCount++
			return &account.Change{
				Profile: next,
				Events:  []account.Event{{Type: "email.added", Data: map[string]any{"emailId": row.EmailID, "email": row.Email}}},
				Rows: []dynamo.Part{
					dynamo.Put(s.kernel.Table, row.Item()).If(table.Absent()).Guard(), // a fresh id
					dynamo.Put(s.kernel.Table, code.Item()),
				},
				Claim:  s.kernel.NewClaim(row, row.CreatedAt), // ErrTaken, or take-over
				Limits: s.sendLimits(row, now),                // *LimitError
			}, nil
		},
	})
	if err != nil {
		return Added{}, wrap("add", err)
	}
	sent, err := s.send(ctx, row, code)
	return Added{Email: newEmail(row, table.Profile{}), ExpiresIn: sent.ExpiresIn, SendErr: err}, nil
}

// decideAdd is the rule of Add.
func decideAdd(p table.Profile, most int64) error {
	if p.Status != table.Active {
		return account.ErrNotActive
	}
	if p.EmailCount >= most {
		return ErrTooMany
	}
	return nil
}

// newRow is the row of an address that is being added, under a fresh id.
func (s *Store) newRow(userID, address string) (table.Email, error) {
	var bad userstore.ValidationError
	if problem := account.UserIDProblem(userID); problem != "" {
		bad.Add("userId", problem)
	}
	email, err := s.canonical(address)
	if err != nil {
		bad.Add("email", "is not a valid e-mail address")
	}
	return table.Email{EmailID: uuid.NewString(), UserID: userID, Email: email, CreatedAt: s.kernel.Now()}, bad.Err()
}
