package userstore

import (
	"context"
	"errors"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// RevokeTokens makes the access tokens of an account invalid that were issued before now (TokensValidAfter). Suspend and
// Delete do so by themselves.
//
// It returns ErrNotFound, and ErrStatus for a deleted account. Two requests, one with Loaded.
func (s *Store) RevokeTokens(ctx context.Context, userID string, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.revoke_tokens", userID).End(&err)
	return s.change(ctx, "revoke tokens", userID, options, decideRevoke)
}

func decideRevoke(p table.Profile, now time.Time) (*account.Change, error) {
	if p.Status == table.Deleted {
		return nil, ErrStatus
	}
	p.TokensValidAfter = later(p.TokensValidAfter, now)
	return &account.Change{Profile: p, Events: []account.Event{{Type: "user.tokens.revoked"}}}, nil
}

// later keeps a clock that is behind from making tokens valid again.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// RevokeAllTokens makes the access tokens of all accounts invalid that were issued before now, and returns the time that
// is now in force, in whole seconds: tokens carry no finer time. It never moves that time back. Whoever verifies tokens
// must look at TokensValidAfter. One request, 2 WCU.
func (s *Store) RevokeAllTokens(ctx context.Context) (_ time.Time, err error) {
	defer s.kernel.Begin(&ctx, "userstore.revoke_all_tokens", "").End(&err)
	cutoff := s.kernel.Now().Truncate(time.Second).Add(time.Second)
	fleet := table.Fleet{TokensValidAfter: cutoff}
	inForce := errors.New("a later time is in force")
	err = dynamo.Commit(ctx, s.kernel.Client, dynamo.Put(s.kernel.Table, fleet.Item()).If(table.NoLaterCutoff(cutoff)).
		Means(func(old dynamo.Item) error {
			var err error
			if fleet, err = table.DecodeFleet(old); err == nil {
				err = inForce
			}
			return err
		}))
	if err != nil && !errors.Is(err, inForce) {
		return time.Time{}, wrap("revoke all tokens", err)
	}
	return fleet.TokensValidAfter, nil
}

// TokensValidAfter is the time before which access tokens of any account must have been issued to be refused; zero when
// RevokeAllTokens was never called. One request, 1 RCU.
func (s *Store) TokensValidAfter(ctx context.Context) (_ time.Time, err error) {
	defer s.kernel.Begin(&ctx, "userstore.tokens_valid_after", "").End(&err)
	item, err := dynamo.Get(ctx, s.kernel.Client, s.kernel.Table, table.FleetKey())
	if err != nil {
		return time.Time{}, wrap("tokens valid after", err)
	}
	fleet, err := table.DecodeFleet(item)
	return fleet.TokensValidAfter, wrap("tokens valid after", err)
}
