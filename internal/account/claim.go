package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// holder is the account whose lapsed claim a change takes over, as last seen. The zero holder is nobody: the address
// is taken to be free.
type holder struct {
	claim table.Claim
	owner Account
	// next is what a refusal brought to light: another claim (nil claim for none), or a newer owner.
	next *holder
}

// parts acquire an address: the claim alone, or the claim together with taking the address out of its old account.
func (h *holder) parts(ctx context.Context, k *Kernel, claim *table.Claim) ([]dynamo.Part, error) {
	if claim == nil {
		return nil, nil
	}
	h.next = nil
	put := dynamo.Put(k.Table, claim.Item())
	if h.claim.UserID == "" {
		return []dynamo.Part{put.If(table.Absent()).Means(h.refused(k, claim.UserID))}, nil
	}
	now := k.Now()
	old := h.claim
	lapsed := Event{Type: "email.removed", Data: map[string]any{"emailId": old.EmailID, "email": old.Email, "reason": "lapsed"}}
	events, err := k.pack(ctx, old.UserID, h.owner.Profile.Seq, []Event{lapsed}, now)
	if err != nil {
		return nil, err
	}
	mine := put.If(table.HeldBy(old.UserID, old.EmailID).And(table.LapsedAt(now))).Means(h.refused(k, claim.UserID))
	return append([]dynamo.Part{
		mine,
		dynamo.Delete(k.Table, table.EmailKey(old.UserID, old.EmailID)).If(table.VerifiedIs(false)).Guard(),
		dynamo.Delete(k.Table, table.CodeKey(old.UserID, old.EmailID)),
		h.leave(k),
	}, events...), nil
}

// leaving is the account that an address is taken from, if any.
func (h *holder) leaving() []string {
	if h.claim.UserID == "" {
		return nil
	}
	return []string{h.claim.UserID}
}

// refused is the meaning of a failed claim: the address is taken, unless its holder's lease has lapsed (take it over)
// or it has become free in between.
func (h *holder) refused(k *Kernel, self string) func(dynamo.Item) error {
	return func(old dynamo.Item) error {
		if old == nil {
			h.next = &holder{}
			return nil
		}
		claim, err := table.DecodeClaim(old)
		if err != nil {
			return err
		}
		if claim.UserID == self || !claim.Lapsed(k.Now()) {
			return ErrTaken
		}
		h.next = &holder{claim: claim}
		return nil
	}
}

var errNoHolder = fmt.Errorf("%w: an address is held by an account that does not exist", ErrCorrupt)

// leave is the update of the old owner's PROFILE: one address less.
func (h *holder) leave(k *Kernel) dynamo.Part {
	was := h.owner.Profile
	next := was
	next.EmailCount--
	next.Seq++
	return dynamo.Update(k.Table, table.ProfileKey(was.UserID), was.To(next)).
		If(table.SeqIs(was.Seq)).
		Means(func(old dynamo.Item) error {
			if old == nil {
				return errNoHolder
			}
			profile, err := table.DecodeProfile(old)
			if h.next == nil {
				h.next = &holder{claim: h.claim, owner: Account{Profile: profile}}
			}
			return err
		})
}

// refresh makes the holder what the refusal brought to light, and reads the account of a new one. At most one request.
func (h *holder) refresh(ctx context.Context, k *Kernel) error {
	if h.next == nil {
		return nil
	}
	next := *h.next
	if next.claim.UserID != "" && next.owner.Profile.UserID == "" {
		owner, err := k.LoadProfile(ctx, next.claim.UserID)
		if errors.Is(err, ErrNotFound) {
			return errNoHolder
		}
		if err != nil {
			return fmt.Errorf("reading the holder of a lapsed claim: %w", err)
		}
		next.owner = owner
	}
	*h = next
	return nil
}

// NewClaim is the claim of a row that is being added: for good when it is verified, else for the lease.
func (k *Kernel) NewClaim(row table.Email, now time.Time) *table.Claim {
	claim := &table.Claim{Email: row.Email, UserID: row.UserID, EmailID: row.EmailID, ClaimedAt: now}
	if !row.IsVerified {
		claim.LeaseUntil = now.Add(k.ClaimLease)
	}
	return claim
}
