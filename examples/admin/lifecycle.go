package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/userstore"
)

// accountCommands is what can be done to an account, in the table alone or in the user pool too.
type accountCommands struct {
	suspend    func(ctx context.Context, userID, reason string, options ...userstore.Option) (*userstore.User, error)
	reinstate  change
	delete     change
	restore    change
	revoke     change
	signOut    func(ctx context.Context, userID string) error
	purgeTable func(ctx context.Context, userID string, options ...userstore.Option) error
	erase      func(ctx context.Context, userID string, options ...userstore.Option) error
}

// change is a step in the life of an account.
type change func(ctx context.Context, userID string, options ...userstore.Option) (*userstore.User, error)

// lifecycle works on the table, and with --user-pool makes the pool follow at once. Without, the pool follows when the events of the
// changes are handled.
func (p *program) lifecycle(ctx context.Context) (*accountCommands, error) {
	users, err := p.users(ctx)
	if err != nil {
		return nil, err
	}
	l := &accountCommands{
		suspend: users.Suspend, reinstate: users.Reinstate, delete: users.Delete, restore: users.Restore,
		revoke: users.RevokeTokens, purgeTable: users.Purge, erase: users.Erase,
		signOut: func(context.Context, string) error { return nil },
	}
	if p.userPool == "" {
		return l, nil
	}
	pool, err := p.cognito(ctx)
	if err != nil {
		return nil, err
	}
	syncer, err := cognitosync.New(pool, users, cognitosync.Config{UserPoolID: p.userPool})
	if err != nil {
		return nil, usagef("%w", err)
	}
	l.suspend, l.reinstate, l.delete, l.restore = syncer.Suspend, syncer.Reactivate, syncer.Delete, syncer.Restore
	l.signOut = syncer.SignOut
	return l, nil
}

func (p *program) lifecycleCommands() []*cli.Command {
	var reason string
	suspend := p.changeCommand("suspend", "stop an account; its tokens are no longer valid", "",
		func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
			return l.suspend(ctx, userID, reason)
		})
	suspend.Flags = []cli.Flag{&cli.StringFlag{Name: "reason", Usage: "`TEXT` for the record", Destination: &reason}}
	return []*cli.Command{
		suspend,
		p.changeCommand("reinstate", "make a suspended account active again", "",
			func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
				return l.reinstate(ctx, userID)
			}),
		p.changeCommand("delete", "mark an account as deleted; it can be restored for a while", "Delete account %s?",
			func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
				return l.delete(ctx, userID)
			}),
		p.changeCommand("restore", "bring a deleted account back", "",
			func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
				return l.restore(ctx, userID)
			}),
		p.changeCommand("purge", "erase a deleted account whose retention is over", "Erase account %s for good?",
			func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
				return nil, l.purgeTable(ctx, userID)
			}),
		p.changeCommand("erase", "erase an account at once, for a person who asks for it", "Erase account %s for good, at once?",
			func(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
				return nil, l.erase(ctx, userID)
			}),
		p.changeCommand("revoke", "make the tokens of an account invalid", "", revokeUser),
	}
}

// revokeUser makes access tokens invalid first: that takes effect even when the pool cannot be reached.
func revokeUser(ctx context.Context, l *accountCommands, userID string) (*userstore.User, error) {
	user, err := l.revoke(ctx, userID)
	if err != nil {
		return nil, err
	}
	if err := l.signOut(ctx, userID); err != nil {
		return nil, fmt.Errorf("access tokens are revoked, but not signed out of the user pool: %w", err)
	}
	return user, nil
}

// changeCommand is a command that changes one account and prints it. question asks first, with the user id as its %s; "" asks nothing.
func (p *program) changeCommand(
	name, usage, question string, do func(context.Context, *accountCommands, string) (*userstore.User, error),
) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: "USERID",
		Action: p.action(1, 1, func(ctx context.Context, args []string) error {
			userID := args[0]
			l, err := p.lifecycle(ctx)
			if err != nil {
				return err
			}
			if question != "" {
				if err := p.confirm(ctx, question, userID); err != nil {
					return err
				}
			}
			user, err := do(userstore.WithRequestID(ctx, "admin-"+rand.Text()), l, userID)
			return p.changed(user, userID, err)
		}),
	}
}

// changed prints the account after a change. A pool that does not follow yet is no failure: the event of the change makes it follow.
func (p *program) changed(user *userstore.User, userID string, err error) error {
	if errors.Is(err, cognitosync.ErrPending) {
		fmt.Fprintln(p.stderr, "usercore-admin:", err)
		err = nil
	}
	switch {
	case err != nil:
		return err
	case user != nil:
		return p.printUser(viewOf(user))
	}
	rows := p.list("PURGED")
	if err := rows.add(map[string]string{"purged": userID}, userID); err != nil {
		return err
	}
	return rows.end()
}
