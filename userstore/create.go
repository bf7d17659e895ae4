package userstore

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

// NewUser is the input of Create.
type NewUser struct {
	// UserID is the id that the identity provider gave: 1 to 128 characters of [A-Za-z0-9._:-].
	UserID string
	// Username is the provider's name for the user, if it has one beside the id: at most 128 characters.
	Username string
	// Email is the first address. A verified one becomes the primary address at once.
	Email         string
	EmailVerified bool
	// FirstName and LastName may be empty, if the provider has none.
	FirstName string
	LastName  string
}

// Create makes an account with its first address. It may be repeated: when the account exists with that address, the
// stored user is returned and nothing is written.
//
// It returns a *ValidationError, ErrTaken when the address is not available, and ErrExists when the account exists
// without that address or is deleted. One request; a repeat two, taking over a lapsed address three.
func (s *Store) Create(ctx context.Context, in NewUser, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.create", in.UserID).End(&err)
	profile, row, err := s.newAccount(in, s.kernel.Now())
	if err != nil {
		return nil, wrap("create", err)
	}
	created := account.Event{Type: "user.created", Data: map[string]any{"email": row.Email}}
	acc, err := s.kernel.Create(ctx, profile, row, []account.Event{created}, account.Gather(options))
	if err != nil {
		return nil, wrap("create", err)
	}
	return newUser(acc), nil
}

// newAccount is the PROFILE and the first address row of a new account.
func (s *Store) newAccount(in NewUser, now time.Time) (table.Profile, table.Email, error) {
	var bad ValidationError
	addUserID(&bad, in.UserID)
	email, err := s.kernel.Addresses.Canonical(in.Email)
	if err != nil {
		bad.Add("email", "is not a valid e-mail address")
	}
	checkUsername(&bad, in.Username)
	profile := table.Profile{
		UserID:     in.UserID,
		Username:   in.Username,
		FirstName:  optionalName(&bad, "firstName", in.FirstName),
		LastName:   optionalName(&bad, "lastName", in.LastName),
		Status:     table.Active,
		Version:    1,
		EmailCount: 1,
		CreatedAt:  now,
		UpdatedAt:  now,
	}
	if err := bad.Err(); err != nil {
		return table.Profile{}, table.Email{}, err
	}
	row := table.Email{EmailID: uuid.NewString(), UserID: in.UserID, Email: email, CreatedAt: now}
	if in.EmailVerified {
		row.IsPrimary, row.IsVerified, row.VerifiedAt = true, true, now
		profile.Email, profile.PrimaryEmailID = email, row.EmailID
	}
	return profile, row, nil
}
