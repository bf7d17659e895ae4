package cognitosync

import (
	"context"
	"fmt"

	"github.com/usercore-go/usercore/userstore"
)

// maxRounds bounds how often the pool is brought in line with an account that changes meanwhile.
const maxRounds = 5

// Suspend suspends an account, then disables its user in the pool and signs it out everywhere. See userstore.Store.Suspend for the reason
// and what the account goes through.
//
// It returns userstore's errors, with nothing changed, or ErrPending beside the user: the account is suspended, and the pool follows with
// the event. Tokens that are out already stay valid until they expire; who verifies them looks at the account's status and
// TokensValidAfter. Four requests to DynamoDB and two to Cognito; three more to Cognito for a federated user.
func (s *Syncer) Suspend(ctx context.Context, userID, reason string, options ...userstore.Option) (user *userstore.User, err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.suspend", "").End(&err)
	user, err = s.users.Suspend(ctx, userID, reason, options...)
	return s.changed(ctx, "suspend", user, err)
}

// Reactivate makes a suspended account active again, then enables its user in the pool. It returns userstore's errors, with nothing
// changed, or ErrPending beside the user. Four requests to DynamoDB and one to Cognito.
func (s *Syncer) Reactivate(ctx context.Context, userID string, options ...userstore.Option) (user *userstore.User, err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.reactivate", "").End(&err)
	user, err = s.users.Reinstate(ctx, userID, options...)
	return s.changed(ctx, "reactivate", user, err)
}

// Delete marks an account as deleted, then disables its user in the pool and signs it out everywhere. The user stays in the pool, because
// the account can be restored; see Config.DeletePurged. It returns userstore's errors, with nothing changed, or ErrPending beside the
// user. Costs as Suspend.
func (s *Syncer) Delete(ctx context.Context, userID string, options ...userstore.Option) (user *userstore.User, err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.delete", "").End(&err)
	user, err = s.users.Delete(ctx, userID, options...)
	return s.changed(ctx, "delete", user, err)
}

// Restore brings a deleted account back, then enables its user in the pool, unless the account is suspended. It returns userstore's
// errors, with nothing changed, or ErrPending beside the user. Costs as Reactivate.
func (s *Syncer) Restore(ctx context.Context, userID string, options ...userstore.Option) (user *userstore.User, err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.restore", "").End(&err)
	user, err = s.users.Restore(ctx, userID, options...)
	return s.changed(ctx, "restore", user, err)
}

// changed makes the pool follow at once what the events would make it follow a little later.
func (s *Syncer) changed(ctx context.Context, operation string, user *userstore.User, err error) (*userstore.User, error) {
	if err != nil {
		return nil, wrap(operation, err)
	}
	if err := s.followStatus(ctx, user.UserID); err != nil {
		s.signals.failed(ctx, "cognitosync."+operation, "pending")
		s.log.WarnContext(ctx, "user pool does not follow yet", "operation", "cognitosync."+operation,
			"outcome", "pending", "userId", user.UserID, "error", err.Error())
		return user, wrap(operation, fmt.Errorf("%w: %w", ErrPending, err))
	}
	return user, nil
}

func (s *Syncer) followStatus(ctx context.Context, userID string) error {
	user, err := s.pool.followStatus(ctx, s.users, userID, s.cfg.DeletePurged)
	if err == nil {
		s.log.InfoContext(ctx, "user pool follows", "operation", "cognitosync.status", "outcome", string(user.Status), "userId", userID)
	}
	return err
}

// followStatus brings the pool's user in line with the account as it stands now, whatever made it so: calls and events may come late,
// twice and out of order. It reads the account again after it has acted, and acts again when the status has moved. So of several that
// follow one account at once, the last to act has seen the last status.
func (p *userPool) followStatus(ctx context.Context, users reader, userID string, deletePurged bool) (*userstore.User, error) {
	user, err := users.Get(ctx, userID)
	if err != nil {
		return nil, err
	}
	for range maxRounds {
		acted := statusOf(user)
		if err := p.applyStatus(ctx, user, deletePurged); err != nil {
			return nil, err
		}
		if user, err = users.Get(ctx, userID); err != nil {
			return nil, err
		}
		if statusOf(user) == acted {
			return user, nil
		}
	}
	return nil, errUnsettled
}

// accountStatus is what the pool's user depends on.
type accountStatus struct {
	active, purged bool
}

func statusOf(u *userstore.User) accountStatus {
	return accountStatus{active: u.Status == userstore.Active, purged: u.Status == userstore.Deleted && u.PurgeAfter.IsZero()}
}

// applyStatus makes the calls for one status. A suspended user is disabled before it is signed out: the other way round, it could sign in
// again in between.
func (p *userPool) applyStatus(ctx context.Context, user *userstore.User, deletePurged bool) error {
	status := statusOf(user)
	return p.on(ctx, user.UserID, user.Username, func(ctx context.Context, name string) error {
		switch {
		case status.active:
			return p.enable(ctx, name)
		case status.purged && deletePurged:
			return p.erase(ctx, name)
		}
		if err := p.disable(ctx, name); err != nil {
			return err
		}
		return p.signOut(ctx, name)
	})
}

// SignOut ends the sessions of an account's user: no refresh token works any more. Access tokens that are out stay valid until they
// expire; see userstore.Store.RevokeTokens. A user whom the pool does not have is signed out. It returns userstore.ErrNotFound. One
// request to DynamoDB and one to Cognito.
func (s *Syncer) SignOut(ctx context.Context, userID string) (err error) {
	defer s.signals.recorder.Begin(&ctx, "cognitosync.sign_out", "").End(&err)
	user, err := s.users.Get(ctx, userID)
	if err != nil {
		return wrap("sign out", err)
	}
	return wrap("sign out", s.pool.on(ctx, user.UserID, user.Username, s.pool.signOut))
}
