package account

import (
	"context"
	"errors"
	"slices"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/internal/telemetry"
)

// errPresent is what the failed PROFILE part of a Create means.
var errPresent = errors.New("there is a profile already")

// Create writes a new account with its first address. It returns ErrTaken when somebody else has the address. When
// the account exists: the stored one if it has the address and is not deleted, else ErrExists. One request; a repeat
// two, a take-over three.
func (k *Kernel) Create(ctx context.Context, profile table.Profile, row table.Email, events []Event, options Options) (Account, error) {
	if err := options.Check(ctx, k.Table, profile.UserID); err != nil {
		return Account{}, err
	}
	profile.Seq = int64(len(events))
	claim := k.NewClaim(row, profile.CreatedAt)
	created, err := k.pack(ctx, profile.UserID, 0, events, profile.CreatedAt)
	if err != nil {
		return Account{}, err
	}
	present := func(dynamo.Item) error { return errPresent }
	var (
		wait dynamo.Backoff
		hold holder
	)
	for {
		claimed, err := hold.parts(ctx, k, claim)
		if err != nil {
			return Account{}, err
		}
		err = dynamo.Commit(ctx, k.Client, slices.Concat(
			[]dynamo.Part{
				dynamo.Put(k.Table, profile.Item()).If(table.Absent()).Means(present),
				dynamo.Put(k.Table, row.Item()).If(table.Absent()).Guard(),
			},
			claimed, options.Parts(), created,
		)...)
		switch {
		case err == nil:
			k.committed(append(hold.leaving(), profile.UserID)...)
			return Account{Profile: profile}, nil
		case errors.Is(err, errPresent):
			return k.existing(ctx, row)
		case !errors.Is(err, dynamo.ErrStale):
			return Account{}, err
		}
		telemetry.From(ctx).Stale()
		if err := wait.Pause(ctx, err); err != nil {
			return Account{}, err
		}
		if err := hold.refresh(ctx, k); err != nil {
			return Account{}, err
		}
	}
}

// existing is the account that an earlier Create of the same user and address has made.
func (k *Kernel) existing(ctx context.Context, row table.Email) (Account, error) {
	acc, err := k.Load(ctx, row.UserID, table.FromEmails)
	if err != nil {
		return Account{}, err
	}
	has := slices.ContainsFunc(acc.Emails, func(e table.Email) bool { return e.Email == row.Email })
	if !has || acc.Profile.Status == table.Deleted {
		return Account{}, ErrExists
	}
	return acc, nil
}
