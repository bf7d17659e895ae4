package userstore

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

// Suspend stops an active account: nothing of it can be changed until it is reinstated, and tokens issued before now
// are no longer valid (TokensValidAfter). reason is for the record: at most 500 characters, it may be empty. A suspended
// account stays as it is, with its first reason.
//
// It returns a *ValidationError, ErrNotFound, and ErrStatus for a deleted account. Two requests, one with Loaded.
func (s *Store) Suspend(ctx context.Context, userID, reason string, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.suspend", userID).End(&err)
	if err := checkReason(reason); err != nil {
		return nil, wrap("suspend", err)
	}
	return s.change(ctx, "suspend", userID, options, func(p table.Profile, now time.Time) (*account.Change, error) {
		return decideSuspend(p, reason, now)
	})
}

func decideSuspend(p table.Profile, reason string, now time.Time) (*account.Change, error) {
	switch p.Status {
	case table.Suspended:
		return nil, nil
	case table.Active:
		p.Status, p.SuspendedAt, p.SuspendReason, p.TokensValidAfter = table.Suspended, now, reason, later(p.TokensValidAfter, now)
		return changed(p, now, account.Event{Type: "user.suspended", Data: map[string]any{"reason": reason}}), nil
	}
	return nil, ErrStatus
}

// Reinstate makes a suspended account active again. An active one stays as it is.
//
// It returns ErrNotFound, and ErrStatus for a deleted account. Two requests, one with Loaded.
func (s *Store) Reinstate(ctx context.Context, userID string, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.reinstate", userID).End(&err)
	return s.change(ctx, "reinstate", userID, options, decideReinstate)
}

func decideReinstate(p table.Profile, now time.Time) (*account.Change, error) {
	switch p.Status {
	case table.Active:
		return nil, nil
	case table.Suspended:
		p.Status, p.SuspendedAt, p.SuspendReason = table.Active, time.Time{}, ""
		return changed(p, now, account.Event{Type: "user.reactivated"}), nil
	}
	return nil, ErrStatus
}

// Delete marks an account as deleted. Its data and addresses are kept, and nobody else gets the verified ones, until
// it is purged; until PurgeAfter it can be restored. A deleted account stays as it is, with its first DeletedAt.
//
// It returns ErrNotFound. Two requests, one with Loaded.
func (s *Store) Delete(ctx context.Context, userID string, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.delete", userID).End(&err)
	return s.change(ctx, "delete", userID, options, func(p table.Profile, now time.Time) (*account.Change, error) {
		return decideDelete(p, s.kernel.Retention, now)
	})
}

func decideDelete(p table.Profile, retention time.Duration, now time.Time) (*account.Change, error) {
	if p.Status == table.Deleted {
		return nil, nil
	}
	p.Status, p.DeletedAt, p.TokensValidAfter = table.Deleted, now, later(p.TokensValidAfter, now)
	p.PurgeAfter = now.Add(retention).Truncate(time.Second)
	return changed(p, now, account.Event{Type: "user.deleted"}), nil
}

// Restore brings a deleted account back as it was, suspended if it was suspended.
//
// It returns ErrNotFound, and ErrStatus for an account that is not deleted, or whose time to be restored is over. Two
// requests, one with Loaded.
func (s *Store) Restore(ctx context.Context, userID string, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.restore", userID).End(&err)
	return s.change(ctx, "restore", userID, options, decideRestore)
}

func decideRestore(p table.Profile, now time.Time) (*account.Change, error) {
	if p.Status != table.Deleted || p.PurgeAfter.Unix() <= now.Unix() {
		return nil, ErrStatus
	}
	p.Status = table.Active
	if !p.SuspendedAt.IsZero() {
		p.Status = table.Suspended
	}
	p.DeletedAt, p.PurgeAfter = time.Time{}, time.Time{}
	change := changed(p, now, account.Event{Type: "user.restored"})
	change.Guard = table.Restorable(now)
	return change, nil
}

// change runs an operation that reads nothing but the PROFILE.
func (s *Store) change(ctx context.Context, name, userID string, options []Option, decide func(table.Profile, time.Time) (*account.Change, error)) (*User, error) {
	if err := checkUserID(userID); err != nil {
		return nil, wrap(name, err)
	}
	acc, err := s.kernel.Run(ctx, account.Operation{
		UserID:  userID,
		Options: account.Gather(options),
		Decide:  func(acc account.Account, now time.Time) (*account.Change, error) { return decide(acc.Profile, now) },
	})
	if err != nil {
		return nil, wrap(name, err)
	}
	return newUser(acc), nil
}

// changed is a change that a client sees: the version moves.
func changed(next table.Profile, now time.Time, event account.Event) *account.Change {
	next.Version++
	next.UpdatedAt = now
	return &account.Change{Profile: next, Events: []account.Event{event}}
}
