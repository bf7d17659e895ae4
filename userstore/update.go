package userstore

import (
	"context"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

// Changes is the input of Update. A nil field stays as it is.
type Changes struct {
	FirstName *string
	LastName  *string
	// Phone is in E.164. To clear it, set ClearPhone and leave Phone nil.
	Phone      *string
	ClearPhone bool
	// ExpectedVersion is the version that the caller has seen; 0 expects none, and the fields are set on whatever is there.
	ExpectedVersion int64
}

// Update changes the profile of an active account. When no field differs it succeeds and writes nothing.
//
// It returns a *ValidationError that lists every bad field, ErrNotFound, ErrNotActive, and ErrVersionConflict. Two
// requests, one with Loaded; 1 RCU and 4 WCU.
func (s *Store) Update(ctx context.Context, userID string, changes Changes, options ...Option) (_ *User, err error) {
	defer s.kernel.Begin(&ctx, "userstore.update", userID).End(&err)
	changes, err = changes.checked()
	if err != nil {
		return nil, wrap("update", err)
	}
	return s.change(ctx, "update", userID, options, func(p table.Profile, now time.Time) (*account.Change, error) {
		return decideUpdate(p, changes, now)
	})
}

// decideUpdate is the rule of Update.
func decideUpdate(p table.Profile, c Changes, now time.Time) (*account.Change, error) {
	if p.Status != table.Active {
		return nil, ErrNotActive
	}
	if c.ExpectedVersion != 0 && c.ExpectedVersion != p.Version {
		return nil, ErrVersionConflict
	}
	next := p
	var fields []string
	set := func(name string, at *string, value *string) {
		if value != nil && *value != *at {
			*at = *value
			fields = append(fields, name)
		}
	}
	set("firstName", &next.FirstName, c.FirstName)
	set("lastName", &next.LastName, c.LastName)
	set("phone", &next.Phone, c.Phone)
	if len(fields) == 0 {
		return nil, nil
	}
	return changed(next, now, account.Event{Type: "user.updated", Data: map[string]any{"changedFields": fields}}), nil
}

// Validate returns the *ValidationError that Update would return, without a request.
func (c Changes) Validate() error {
	_, err := c.checked()
	return err
}

// checked trims and checks the fields; a cleared phone becomes an empty one.
func (c Changes) checked() (Changes, error) {
	var bad ValidationError
	if c.FirstName != nil {
		c.FirstName = checkedName(&bad, "firstName", *c.FirstName)
	}
	if c.LastName != nil {
		c.LastName = checkedName(&bad, "lastName", *c.LastName)
	}
	switch {
	case c.ClearPhone && c.Phone != nil:
		bad.Add("phone", "cannot be set and cleared at once")
	case c.ClearPhone:
		c.Phone = new(string)
	case c.Phone != nil:
		checkPhone(&bad, *c.Phone)
	}
	if c.ExpectedVersion < 0 {
		bad.Add("expectedVersion", "must not be negative")
	}
	return c, bad.Err()
}
