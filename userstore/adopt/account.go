package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/outbox"
)

// read reads an account, the claims on its addresses, and, for an address that nobody holds, who else has a row of it.
func (a *adopter) read(ctx context.Context, userID string) (found, error) {
	items, err := dynamo.Query(ctx, a.client, table.PartitionQuery(a.kernel.Table, userID, table.FromEmails))
	if err != nil {
		return found{}, err
	}
	f := found{claims: map[string]table.Claim{}, rivals: map[string]bool{}, restampedRows: map[string]bool{}}
	var keys []dynamo.Item
	for _, item := range items {
		item, restamped := table.WithTimes(item)
		if table.IsProfile(item) {
			f.profile, err = table.DecodeProfile(item)
			f.restamped = restamped
		} else {
			var row table.Email
			row, err = table.DecodeEmail(item)
			row.EmailID = table.RowIDOf(item).EmailID
			f.rows = append(f.rows, row)
			f.restampedRows[row.EmailID] = restamped
			keys = append(keys, table.ClaimKey(row.Email))
		}
		if err != nil {
			return found{}, err
		}
	}
	if len(items) == len(f.rows) {
		return found{}, account.ErrNotFound
	}
	f.profile.UserID = userID
	slices.SortStableFunc(f.rows, func(a, b table.Email) int { return a.CreatedAt.Compare(b.CreatedAt) })
	claims, err := dynamo.BatchGet(ctx, a.client, a.kernel.Table, keys)
	if err != nil {
		return found{}, err
	}
	for _, item := range claims {
		claim, err := table.DecodeClaim(item)
		if err != nil {
			return found{}, err
		}
		f.claims[claim.Email] = claim
	}
	if f.gone, err = a.gone(ctx, slices.Collect(maps.Values(f.claims))); err != nil {
		return found{}, err
	}
	for _, row := range f.rows {
		if f.held(row.Email) {
			continue
		}
		if f.rivals[row.Email], err = a.verifiedElsewhere(ctx, userID, row.Email); err != nil {
			return found{}, err
		}
	}
	return f, nil
}

// verifiedElsewhere says whether an account other than self has a verified row of an address.
func (a *adopter) verifiedElsewhere(ctx context.Context, self, address string) (bool, error) {
	holders, err := dynamo.Query(ctx, a.client, table.HoldersQuery(a.kernel.Table, address))
	if err != nil {
		return false, err
	}
	for _, holder := range holders {
		userID, emailID := table.DecodeHolder(holder)
		if userID == self {
			continue
		}
		item, err := dynamo.Get(ctx, a.client, a.kernel.Table, table.EmailKey(userID, emailID))
		if err != nil {
			return false, err
		}
		item, _ = table.WithTimes(item)
		other, err := table.DecodeEmail(item)
		if err == nil && other.IsVerified {
			return true, nil
		}
	}
	return false, nil
}

// errMoved says that somebody changed the account while it was looked at.
var errMoved = errors.New("the account has changed since it was read")

// apply makes an account what the plan says, if it is still as it was read. It gets a number, and an event that says so.
func (a *adopter) apply(ctx context.Context, f found, p *plan) error {
	moved := func(dynamo.Item) error { return errMoved }
	as := table.Unnumbered()
	if f.profile.Seq > 0 {
		as = table.SeqIs(f.profile.Seq)
	}
	next := p.profile
	next.Seq = f.profile.Seq + 1
	name := a.kernel.Table
	parts := []dynamo.Part{
		dynamo.Update(name, table.ProfileKey(next.UserID), next.Rewritten()).If(as.And(table.VersionIs(f.profile.Version))).Means(moved),
	}
	for _, row := range p.rows {
		i := slices.IndexFunc(f.rows, func(was table.Email) bool { return was.EmailID == row.EmailID })
		was := f.rows[i]
		parts = append(parts, dynamo.Update(name, table.EmailKey(row.UserID, row.EmailID), row.Rewritten()).
			If(table.MarkedAs(was.IsVerified, was.IsPrimary)).Means(moved))
	}
	for _, claim := range p.claims {
		was, stands := f.claims[claim.Email]
		if !stands {
			parts = append(parts, dynamo.Put(name, claim.Item()).If(table.Absent()).Means(moved))
			continue
		}
		parts = append(parts, dynamo.Put(name, claim.Item()).If(table.HeldBy(was.UserID, was.EmailID)).Means(moved))
		if f.gone[claim.Email] {
			parts = append(parts, dynamo.Check(name, table.EmailKey(was.UserID, was.EmailID)).If(table.HasNot(claim.Email)).Means(moved))
		}
	}
	event, err := a.event(next)
	if err != nil {
		return err
	}
	return dynamo.Commit(ctx, a.client, append(parts, event...)...)
}

// event is the part that stores user.adopted, so that the account's events are numbered from 1. There is none without an outbox.
func (a *adopter) event(p table.Profile) ([]dynamo.Part, error) {
	if a.cfg.Store.Outbox == nil {
		return nil, nil
	}
	data, err := json.Marshal(map[string]any{"email": p.Email, "status": p.Status})
	if err != nil {
		return nil, err
	}
	action, err := a.cfg.Store.Outbox.TransactItem(outbox.Event{
		ID: uuid.NewString(), Type: "user.adopted", AggregateID: p.UserID, Seq: p.Seq, Time: a.kernel.Now(),
		Environment: a.cfg.Store.Environment, Data: data,
	})
	if err != nil {
		return nil, err
	}
	return []dynamo.Part{dynamo.Raw(action).Guard()}, nil
}
