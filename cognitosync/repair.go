package cognitosync

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/aws/smithy-go"

	"github.com/usercore-go/usercore/userstore"
)

// examine takes a pair as it was listed, makes sure of it, and records and repairs its drifts. An error ends the run.
func (r *run) examine(ctx context.Context, hint pair) error {
	if len(hint.drifts()) == 0 || r.recorded[hint.userID()] {
		return nil
	}
	if r.young(hint) {
		return nil
	}
	p, err := r.confirm(ctx, hint)
	if err != nil {
		return err
	}
	drifts := p.drifts()
	if len(drifts) == 0 || r.young(p) {
		return nil
	}
	if len(r.recorded) >= maxRecorded {
		clear(r.recorded)
	}
	r.recorded[p.userID()] = true
	for _, class := range drifts {
		finding, err := r.settle(ctx, class, p)
		if err != nil {
			return err
		}
		r.record(ctx, finding)
	}
	return nil
}

// young counts the drifts that may yet vanish by themselves.
func (r *run) young(p pair) bool {
	if p.settled(time.Now().Add(-r.cfg.MinAge)) {
		return false
	}
	r.at.Counts.Young++
	return true
}

// confirm reads both sides of a pair anew: the pool first, since the account is the one that decides.
func (r *run) confirm(ctx context.Context, hint pair) (p pair, err error) {
	if hint.user != nil {
		p.user, err = r.pool.get(ctx, hint.user.Username)
		if p.user != nil && p.user.UserID != hint.user.UserID {
			p.user = nil // the name has a new owner
		}
	} else {
		p.user, err = r.pool.find(ctx, hint.account.UserID, hint.account.Username)
	}
	if err != nil {
		return pair{}, err
	}
	p.account, err = r.account(ctx, hint.userID())
	return p, err
}

// settle repairs a drift if that is wanted, and tells what became of it.
func (r *run) settle(ctx context.Context, class Class, p pair) (Finding, error) {
	f := Finding{Class: class, UserID: p.userID(), Outcome: Reported}
	if class == PoolOnly {
		held, err := r.held(ctx, p.user.Identity)
		if err != nil {
			return f, err
		}
		if held {
			f.Class = Duplicate
			return f, nil
		}
	}
	if class == AddressDiffers && p.user.federated() {
		f.Detail = "federated"
		return f, nil
	}
	if !slices.Contains(r.cfg.Repair, class) {
		return f, nil
	}
	return r.judge(f, r.repair(ctx, class, p))
}

// held says whether another account has the address of a user.
func (r *run) held(ctx context.Context, identity Identity) (bool, error) {
	holder, err := r.users.GetByEmail(ctx, identity.Email)
	if errors.Is(err, userstore.ErrNotFound) || errors.Is(err, userstore.ErrInvalid) {
		return false, nil
	}
	return err == nil && holder.UserID != identity.UserID, err
}

func (r *run) repair(ctx context.Context, class Class, p pair) error {
	var err error
	switch class {
	case PoolOnly:
		_, err = create(ctx, r.users, p.user.Identity)
	case TableOnly:
		_, err = r.users.Suspend(ctx, p.account.UserID, "not in the user pool")
	case AddressDiffers:
		err = r.pool.followAddress(ctx, r.users, p.account.UserID)
	case StillEnabled:
		// Before as well as after it is disabled: a run that dies in between finds no drift when it is resumed.
		if err := r.pool.on(ctx, p.user.UserID, p.user.Username, r.pool.signOut); err != nil {
			return err
		}
		_, err = r.pool.followStatus(ctx, r.users, p.account.UserID, false)
	case StillDisabled:
		_, err = r.pool.followStatus(ctx, r.users, p.account.UserID, false)
	}
	return err
}

// judge turns the error of a repair into its outcome. What concerns one user does not end the run; what concerns all does.
func (r *run) judge(f Finding, err error) (Finding, error) {
	f.Outcome = Failed
	refusal, refused := errors.AsType[smithy.APIError](err)
	switch {
	case err == nil:
		f.Outcome = Repaired
	case errors.Is(err, ErrAliasTaken), errors.Is(err, userstore.ErrTaken):
		f.Outcome, f.Detail = Conflict, "address_taken"
	case errors.Is(err, errUnsettled):
		f.Detail = "unsettled"
	case permanent(err):
		f.Detail = reason(err)
	case refused && !r.pool.pace.passing(err):
		f.Detail = refusal.ErrorCode()
	default:
		return f, err
	}
	return f, nil
}
