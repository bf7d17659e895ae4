package userstore

import (
	"context"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// Get reads an account, whatever its status, strongly consistent. It returns ErrNotFound. One request, 1 RCU.
func (s *Store) Get(ctx context.Context, userID string) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.get", userID).End(&err)
	if err := checkUserID(userID); err != nil {
		return nil, wrap("get", err)
	}
	acc, err := s.kernel.LoadProfile(ctx, userID)
	if err != nil {
		return nil, wrap("get", err)
	}
	return newUser(acc), nil
}

// GetByEmail finds the account that a verified address belongs to, strongly consistent. It returns ErrNotFound for an
// address that nobody has verified and for one of a deleted account, and a *ValidationError for what is no address.
// Two requests, 2 RCU; one when there is no claim.
func (s *Store) GetByEmail(ctx context.Context, email string) (user *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.get_by_email", "").End(&err)
	user, err = s.byEmail(ctx, email)
	return user, wrap("get by email", err)
}

func (s *Store) byEmail(ctx context.Context, email string) (*User, error) {
	canonical, err := s.kernel.Addresses.Canonical(email)
	if err != nil {
		return nil, &ValidationError{Fields: []FieldError{{Field: "email", Message: "is not a valid e-mail address"}}}
	}
	claim, err := s.claim(ctx, canonical)
	if err != nil {
		return nil, err
	}
	if claim.UserID == "" || !claim.Verified() {
		return nil, ErrNotFound
	}
	acc, err := s.kernel.LoadProfile(ctx, claim.UserID)
	if err != nil {
		return nil, err
	}
	if acc.Profile.Status == table.Deleted {
		return nil, ErrNotFound
	}
	return newUser(acc), nil
}

// claim reads who holds an address; the zero Claim says nobody.
func (s *Store) claim(ctx context.Context, canonical string) (table.Claim, error) {
	item, err := dynamo.Get(ctx, s.kernel.Client, s.kernel.Table, table.ClaimKey(canonical))
	if err != nil {
		return table.Claim{}, err
	}
	return table.DecodeClaim(item)
}
