package proof

import (
	"context"
	"maps"
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// kind is an operation, by the name of its method with its package.
type kind string

// call is how often an operation is chosen, relative to the others, and how it is called.
type call struct {
	weight int
	// row says that the operation is about one address of an account, which the worker knows by its id.
	row  bool
	make func(ctx context.Context, w *suite.World, r *record) error
}

const (
	create    kind = "userstore.Create"
	getUser   kind = "userstore.Get"
	byEmail   kind = "userstore.GetByEmail"
	updating  kind = "userstore.Update"
	suspend   kind = "userstore.Suspend"
	reinstate kind = "userstore.Reinstate"
	deleting  kind = "userstore.Delete"
	restore   kind = "userstore.Restore"
	purge     kind = "userstore.Purge"
	erase     kind = "userstore.Erase"
	exporting kind = "userstore.Export"
	revoke    kind = "userstore.RevokeTokens"
	revokeAll kind = "userstore.RevokeAllTokens"
	cutoff    kind = "userstore.TokensValidAfter"
	allUsers  kind = "userstore.All"

	add        kind = "emails.Add"
	sendCode   kind = "emails.SendCode"
	confirm    kind = "emails.Confirm"
	setPrimary kind = "emails.SetPrimary"
	remove     kind = "emails.Remove"
	profile    kind = "emails.Profile"
	list       kind = "emails.List"
	getEmail   kind = "emails.Get"
	holders    kind = "emails.Holders"
	sendQuota  kind = "emails.SendQuota"

	// lapse is no call: the old owner's side of a take-over.
	lapse kind = "lapse"
)

// calls are all operations of both packages. A test holds them against the packages' methods.
func calls() map[kind]call {
	all := emailCalls()
	maps.Copy(all, userCalls())
	return all
}

// user is a call that answers with an account.
func user(ask func(context.Context, *suite.World, *record) (*userstore.User, error)) func(context.Context, *suite.World, *record) error {
	return func(ctx context.Context, w *suite.World, r *record) (err error) {
		r.found, err = ask(ctx, w, r)
		return err
	}
}

func userCalls() map[kind]call {
	return map[kind]call{
		create: {weight: 7, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Create(ctx, userstore.NewUser{UserID: r.user, Email: r.address, EmailVerified: r.verified, FirstName: r.name})
		})},
		getUser: {weight: 4, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Get(ctx, r.user)
		})},
		byEmail: {weight: 4, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.GetByEmail(ctx, r.address)
		})},
		updating: {weight: 8, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Update(ctx, r.user, userstore.Changes{FirstName: &r.name, ExpectedVersion: r.expected}, r.options()...)
		})},
		suspend: {weight: 2, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Suspend(ctx, r.user, "fraud", r.options()...)
		})},
		reinstate: {weight: 6, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Reinstate(ctx, r.user, r.options()...)
		})},
		deleting: {weight: 1, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Delete(ctx, r.user, r.options()...)
		})},
		restore: {weight: 4, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.Restore(ctx, r.user, r.options()...)
		})},
		revoke: {weight: 1, make: user(func(ctx context.Context, w *suite.World, r *record) (*userstore.User, error) {
			return w.Users.RevokeTokens(ctx, r.user, r.options()...)
		})},
		erase: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) error { return w.Users.Erase(ctx, r.user) }},
		exporting: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) error {
			_, err := w.Users.Export(ctx, r.user)
			return err
		}},
		purge: {weight: 2, make: func(ctx context.Context, w *suite.World, r *record) error { return w.Users.Purge(ctx, r.user) }},
		revokeAll: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) (err error) {
			r.cutoff, err = w.Users.RevokeAllTokens(ctx)
			return err
		}},
		cutoff: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) (err error) {
			r.cutoff, err = w.Users.TokensValidAfter(ctx)
			return err
		}},
		allUsers: {weight: 1, make: func(ctx context.Context, w *suite.World, _ *record) error {
			for _, err := range w.Users.All(ctx, userstore.Segment{}) {
				if err != nil {
					return err
				}
			}
			return nil
		}},
	}
}

// row is a call about one address that answers with it.
func row(ask func(context.Context, *suite.World, *record) (emails.Email, error)) func(context.Context, *suite.World, *record) error {
	return func(ctx context.Context, w *suite.World, r *record) error {
		email, err := ask(ctx, w, r)
		if err == nil {
			r.email = &email
		}
		return err
	}
}

func emailCalls() map[kind]call {
	return map[kind]call{
		add: {weight: 14, make: func(ctx context.Context, w *suite.World, r *record) error {
			added, err := w.Emails.Add(ctx, r.user, r.address, r.options()...)
			if err == nil {
				r.email, r.emailID = &added.Email, added.EmailID
			}
			return err
		}},
		sendCode: {weight: 9, row: true, make: func(ctx context.Context, w *suite.World, r *record) error {
			_, err := w.Emails.SendCode(ctx, r.user, r.emailID)
			return err
		}},
		confirm: {weight: 18, row: true, make: row(func(ctx context.Context, w *suite.World, r *record) (emails.Email, error) {
			return w.Emails.Confirm(ctx, r.user, r.emailID, r.code)
		})},
		setPrimary: {weight: 6, row: true, make: row(func(ctx context.Context, w *suite.World, r *record) (emails.Email, error) {
			return w.Emails.SetPrimary(ctx, r.user, r.emailID)
		})},
		getEmail: {weight: 2, row: true, make: row(func(ctx context.Context, w *suite.World, r *record) (emails.Email, error) {
			return w.Emails.Get(ctx, r.user, r.emailID)
		})},
		remove: {weight: 7, row: true, make: func(ctx context.Context, w *suite.World, r *record) error {
			return w.Emails.Remove(ctx, r.user, r.emailID)
		}},
		profile: {weight: 4, make: func(ctx context.Context, w *suite.World, r *record) (err error) {
			r.found, r.rows, err = w.Emails.Profile(ctx, r.user)
			return err
		}},
		list: {weight: 3, make: func(ctx context.Context, w *suite.World, r *record) (err error) {
			r.rows, err = w.Emails.List(ctx, r.user)
			return err
		}},
		holders: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) error {
			_, err := w.Emails.Holders(ctx, r.address)
			return err
		}},
		sendQuota: {weight: 1, make: func(ctx context.Context, w *suite.World, r *record) error {
			_, err := w.Emails.SendQuota(ctx, r.address)
			return err
		}},
	}
}

// options are the options that an operation on one account is called with.
func (r *record) options() []userstore.Option {
	if r.loaded == nil {
		return nil
	}
	return []userstore.Option{userstore.Loaded(r.loaded)}
}

// rules are short times and small numbers, so that the limits are met in a history of a few hours.
const (
	maxEmails  = 3
	claimLease = time.Hour
	retention  = 2 * time.Hour
)

func rules(c *userstore.Config) {
	c.MaxEmails, c.ClaimLease, c.Retention = maxEmails, claimLease, retention
}
