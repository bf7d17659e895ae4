package emails

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
)

// Email is one address of an account. Times are UTC in whole milliseconds.
type Email struct {
	EmailID    string
	Email      string // in canonical form
	IsPrimary  bool
	IsVerified bool
	VerifiedAt time.Time // zero while unverified
	CreatedAt  time.Time
}

func newEmail(row table.Email, profile table.Profile) Email {
	return Email{
		EmailID: row.EmailID, Email: row.Email, IsPrimary: row.EmailID == profile.PrimaryEmailID,
		IsVerified: row.IsVerified, VerifiedAt: row.VerifiedAt, CreatedAt: row.CreatedAt,
	}
}

// Profile reads an account together with its addresses, of one moment, oldest first. The account may have any status.
// It returns userstore.ErrNotFound. One request, 1 RCU for 4 KB.
func (s *Store) Profile(ctx context.Context, userID string) (user *userstore.User, emails []Email, err error) {
	defer s.kernel.Begin(&ctx, "emails.profile", userID).End(&err)
	user, emails, err = s.profile(ctx, userID)
	return user, emails, wrap("profile", err)
}

func (s *Store) profile(ctx context.Context, userID string) (*userstore.User, []Email, error) {
	if err := checkUserID(userID); err != nil {
		return nil, nil, err
	}
	acc, err := s.kernel.Load(ctx, userID, table.FromEmails)
	if err != nil {
		return nil, nil, err
	}
	user, err := userstore.DecodeUser(acc.Stored)
	if err != nil {
		return nil, nil, err
	}
	emails := make([]Email, len(acc.Emails))
	for i, row := range acc.Emails {
		emails[i] = newEmail(row, acc.Profile)
	}
	return user, emails, nil
}

// List reads the addresses of an account, oldest first. It is Profile without the account.
func (s *Store) List(ctx context.Context, userID string) (emails []Email, err error) {
	defer s.kernel.Begin(&ctx, "emails.list", userID).End(&err)
	_, emails, err = s.profile(ctx, userID)
	return emails, wrap("list", err)
}

// Get reads one address of an account. It returns userstore.ErrNotFound and ErrNotFound. One request, as for List.
func (s *Store) Get(ctx context.Context, userID, emailID string) (email Email, err error) {
	defer s.kernel.Begin(&ctx, "emails.get", userID).End(&err)
	email, err = s.find(ctx, userID, emailID)
	return email, wrap("get", err)
}

func (s *Store) find(ctx context.Context, userID, emailID string) (Email, error) {
	_, emails, err := s.profile(ctx, userID)
	if err != nil {
		return Email{}, err
	}
	for _, e := range emails {
		if e.EmailID == emailID {
			return e, nil
		}
	}
	return Email{}, ErrNotFound
}

// Holder is an account with an address row: the address is verified there, or asked for.
type Holder struct {
	UserID  string
	EmailID string
}

// Holders finds every account that has a row for an address. It reads the index, which is eventually consistent: for
// support and audit, never to decide whether an address is free. It returns a *userstore.ValidationError. One request,
// 0.5 RCU for 4 KB.
func (s *Store) Holders(ctx context.Context, address string) (_ []Holder, err error) {
	defer s.kernel.Begin(&ctx, "emails.holders", "").End(&err)
	email, err := s.canonical(address)
	if err != nil {
		return nil, wrap("holders", err)
	}
	items, err := dynamo.Query(ctx, s.kernel.Client, table.HoldersQuery(s.kernel.Table, email))
	if err != nil {
		return nil, wrap("holders", err)
	}
	holders := make([]Holder, len(items))
	for i, item := range items {
		holders[i].UserID, holders[i].EmailID = table.DecodeHolder(item)
	}
	return holders, nil
}

// canonical is the form under which an address is kept; a bad one is a *userstore.ValidationError.
func (s *Store) canonical(address string) (string, error) {
	email, err := s.kernel.Addresses.Canonical(address)
	if err != nil {
		return "", invalid("email", "is not a valid e-mail address")
	}
	return email, nil
}

func checkUserID(id string) error {
	if problem := account.UserIDProblem(id); problem != "" {
		return invalid("userId", problem)
	}
	return nil
}

func invalid(field, message string) error {
	return &userstore.ValidationError{Fields: []userstore.FieldError{{Field: field, Message: message}}}
}
