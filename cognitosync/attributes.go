package cognitosync

import (
	"context"
	"errors"

	"github.com/usercore-go/usercore/userstore"
)

// SyncPrimary writes the primary address of an account to the pool's user, as verified. An account without a primary address, a deleted
// one, and one whose user the pool does not have, stay as they are.
//
// It returns userstore.ErrNotFound, and ErrAliasTaken when another user of the pool has the address: then trying again does not help. Two
// requests to DynamoDB and one to Cognito.
func (s *Syncer) SyncPrimary(ctx context.Context, userID string) (err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.address", "").End(&err)
	return wrap("sync primary", s.followAddress(ctx, userID))
}

func (s *Syncer) followAddress(ctx context.Context, userID string) error {
	err := s.pool.followAddress(ctx, s.users, userID)
	switch {
	case errors.Is(err, ErrAliasTaken):
		s.signals.failed(ctx, "cognitosync.address", "conflict")
		s.log.ErrorContext(ctx, "address is another user's alias", "operation", "cognitosync.address", "outcome", "conflict", "userId", userID)
	case err == nil:
		s.log.InfoContext(ctx, "user pool follows", "operation", "cognitosync.address", "outcome", "synced", "userId", userID)
	}
	return err
}

// followAddress brings the address of the pool's user in line with the account as it stands now; see followStatus for why it reads twice.
func (p *userPool) followAddress(ctx context.Context, users reader, userID string) error {
	user, err := users.Get(ctx, userID)
	if err != nil {
		return err
	}
	for range maxRounds {
		acted := primaryOf(user)
		if acted != "" {
			err := p.on(ctx, user.UserID, user.Username, func(ctx context.Context, name string) error { return p.setEmail(ctx, name, acted) })
			if err != nil {
				return err
			}
		}
		if user, err = users.Get(ctx, userID); err != nil {
			return err
		}
		if primaryOf(user) == acted {
			return nil
		}
	}
	return errUnsettled
}

// primaryOf is the address that the pool's user shall have, "" if the account has no say in it.
func primaryOf(u *userstore.User) string {
	if u.Status == userstore.Deleted {
		return ""
	}
	return u.Email
}
