package account

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/internal/telemetry"
)

// Change is what a decision makes of an account: one transaction.
type Change struct {
	// Profile is the PROFILE as it shall be; its Seq is set by the kernel.
	Profile table.Profile
	// Events tell of the change; seq moves by their number, so there is at least one.
	Events []Event
	// Guard is a further condition on the PROFILE that seq implies, kept for rows written by hand.
	Guard dynamo.Expr
	// Rows are the parts on rows and codes, in the order of precedence.
	Rows []dynamo.Part
	// Claim is an address that the account acquires, nil for none.
	Claim *table.Claim
	// Limits are the parts that are judged after the claim.
	Limits []dynamo.Part
}

// Operation is one change of one existing account.
type Operation struct {
	UserID string
	// From is the sort key from which the partition is read; "" reads the PROFILE alone.
	From string
	// Decide is the rule: an error, nil for "already so", or the change. It is pure, and may be asked several times.
	Decide  func(acc Account, now time.Time) (*Change, error)
	Options Options
}

// Run loads, decides and commits. It returns the account as it is after the change (its rows as they were read), the
// error of Decide or of a failed part, or ErrContention. Requests: a read, unless the caller hands the account in, and
// a write; one more for each race (two when rows are read again), two more for a take-over.
func (k *Kernel) Run(ctx context.Context, op Operation) (Account, error) {
	if err := op.Options.Check(ctx, k.Table, op.UserID); err != nil {
		return Account{}, err
	}
	acc, change, err := k.firstDecision(ctx, op)
	var (
		wait dynamo.Backoff
		hold holder
	)
	for {
		if err != nil || change == nil {
			return acc, err
		}
		change.Profile.Seq = acc.Profile.Seq + int64(len(change.Events))
		profile := profilePart{kernel: k, was: acc, op: op}
		var parts []dynamo.Part
		if parts, err = profile.transaction(ctx, change, &hold); err != nil {
			return acc, err
		}
		err = dynamo.Commit(ctx, k.Client, parts...)
		switch {
		case err == nil:
			k.committed(append(hold.leaving(), op.UserID)...)
			acc.Profile, acc.Stored = change.Profile, nil
			return acc, nil
		case !errors.Is(err, dynamo.ErrStale) && !errors.Is(err, errAgain):
			return acc, err
		}
		telemetry.From(ctx).Stale()
		if err := wait.Pause(ctx, err); err != nil {
			return acc, err
		}
		if err := hold.refresh(ctx, k); err != nil {
			return acc, err
		}
		if acc, err = profile.reread(ctx); err == nil {
			change, err = op.Decide(acc, k.Now())
		}
	}
}

// firstDecision decides on the account that the caller has loaded, if any, and on a fresh read otherwise. What a
// caller's account refuses is decided again on a fresh one: it may be old.
func (k *Kernel) firstDecision(ctx context.Context, op Operation) (Account, *Change, error) {
	if op.Options.Loaded != nil && op.From == "" {
		acc := *op.Options.Loaded
		if change, err := op.Decide(acc, k.Now()); err == nil && change != nil {
			return acc, change, nil
		}
	}
	acc, err := k.load(ctx, op)
	if err != nil {
		return acc, nil, err
	}
	change, err := op.Decide(acc, k.Now())
	return acc, change, err
}

func (k *Kernel) load(ctx context.Context, op Operation) (Account, error) {
	if op.From == "" {
		return k.LoadProfile(ctx, op.UserID)
	}
	return k.Load(ctx, op.UserID, op.From)
}

// profilePart is the update of PROFILE under its lock, and what came back when the lock failed.
type profilePart struct {
	kernel *Kernel
	op     Operation
	was    Account
	seen   *Account
}

// transaction is all parts of a change, in the order of precedence.
func (p *profilePart) transaction(ctx context.Context, change *Change, hold *holder) ([]dynamo.Part, error) {
	claim, err := hold.parts(ctx, p.kernel, change.Claim)
	if err != nil {
		return nil, err
	}
	events, err := p.kernel.pack(ctx, p.op.UserID, p.was.Profile.Seq, change.Events, p.kernel.Now())
	if err != nil {
		return nil, err
	}
	profile := []dynamo.Part{p.part(change)}
	return slices.Concat(profile, change.Rows, claim, change.Limits, p.op.Options.Parts(), events), nil
}

// part is P of every change. A failure means ErrNotFound, or what Decide makes of the PROFILE as it stands now; when
// that is "already so", or rests on rows, the operation reads again before any other part is heard. A PROFILE that
// still has the seq that was read failed only a guard.
func (p *profilePart) part(change *Change) dynamo.Part {
	key := table.ProfileKey(p.was.Profile.UserID)
	return dynamo.Update(p.kernel.Table, key, p.was.Profile.To(change.Profile)).
		If(table.SeqIs(p.was.Profile.Seq).And(change.Guard)).
		Means(func(old dynamo.Item) error {
			if old == nil {
				return ErrNotFound
			}
			profile, err := table.DecodeProfile(old)
			if err != nil {
				return err
			}
			if profile.Seq == p.was.Profile.Seq {
				return ErrCorrupt
			}
			now := p.was
			now.Profile, now.Stored = profile, nil
			p.seen = &now
			if p.op.From != "" {
				return errAgain
			}
			change, err := p.op.Decide(now, p.kernel.Now())
			if err == nil && change == nil {
				return errAgain
			}
			return err
		})
}

// reread is the account to decide on next: the PROFILE that came back, or a new read when the operation uses rows.
func (p *profilePart) reread(ctx context.Context) (Account, error) {
	if p.op.From != "" {
		return p.kernel.load(ctx, p.op)
	}
	if p.seen != nil {
		return *p.seen, nil
	}
	return p.was, nil
}
