package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// repairer writes what a plan says. Each repair of an account is one change of it like any other: it rests on the seq that was read, and has an
// event, user.repaired.
type repairer struct {
	client Client
	kernel *account.Kernel
}

func newRepairer(client Client, cfg Config) (*repairer, error) {
	store := cfg.Repair.Store
	switch {
	case store.Table != "" && store.Table != cfg.Table:
		return nil, errors.New("Config.Repair.Store.Table is another table")
	case store.MaxEmails != 0 && store.MaxEmails != cfg.MaxEmails:
		return nil, errors.New("Config.Repair.Store.MaxEmails differs from Config.MaxEmails")
	}
	store.Table, store.MaxEmails = cfg.Table, cfg.MaxEmails
	kernel, err := account.New(client, account.Config(store))
	if err != nil {
		return nil, fmt.Errorf("Config.Repair.Store: %w", err)
	}
	return &repairer{client: client, kernel: kernel}, nil
}

// errMoved says that the account, or a claim on its addresses, is not as it was examined any more.
var errMoved = errors.New("the account has changed since it was examined")

// account repairs what a plan can repair of one account. It returns errMoved for one that has changed meanwhile.
func (r *repairer) account(ctx context.Context, e evidence, found []Violation) error {
	if e.profile == nil || e.profile.UserID != e.userID {
		return nil
	}
	contested, err := r.contested(ctx, e)
	if err != nil {
		return err
	}
	_, err = r.kernel.Run(ctx, account.Operation{
		UserID: e.userID,
		Decide: func(acc account.Account, now time.Time) (*account.Change, error) {
			if acc.Profile.Seq != e.profile.Seq {
				return nil, errMoved
			}
			return r.plan(e, contested, found, now), nil
		},
	})
	if errors.Is(err, account.ErrTooManyActions) {
		return nil // so much is wrong that a person has to look
	}
	return err
}

// contested are the addresses that nobody holds and that another account has a verified row of: who gets them is not for the one that comes first.
func (r *repairer) contested(ctx context.Context, e evidence) (map[string]bool, error) {
	contested := map[string]bool{}
	for _, row := range e.emails {
		if _, held := e.claims[row.Email]; held {
			continue
		}
		holders, err := dynamo.Query(ctx, r.client, table.HoldersQuery(r.kernel.Table, row.Email))
		if err != nil {
			return nil, err
		}
		for _, holder := range holders {
			userID, emailID := table.DecodeHolder(holder)
			if userID == e.userID {
				continue
			}
			item, err := dynamo.Get(ctx, r.client, r.kernel.Table, table.EmailKey(userID, emailID))
			if err != nil {
				return nil, err
			}
			other, err := table.DecodeEmail(item)
			contested[row.Email] = contested[row.Email] || err != nil || other.IsVerified
		}
	}
	return contested, nil
}

// claim removes a claim that names no row, if that is still so.
func (r *repairer) claim(ctx context.Context, claim table.Claim) (bool, error) {
	if claim.UserID == "" || claim.EmailID == "" {
		return false, nil
	}
	return r.kernel.DropClaim(ctx, claim)
}
