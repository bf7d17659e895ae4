package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/userstore"
)

func (p *program) userCommand() *cli.Command {
	commands := []*cli.Command{
		{
			Name: "get", Usage: "show an account and its addresses", ArgsUsage: "USERID",
			Action: p.action(1, 1, func(ctx context.Context, args []string) error { return p.getUser(ctx, args[0]) }),
		},
		{
			Name: "export", Usage: "print all that is stored of an account, as JSON, with its events that wait", ArgsUsage: "USERID",
			Action: p.action(1, 1, func(ctx context.Context, args []string) error { return p.exportUser(ctx, args[0]) }),
		},
		{
			Name: "find", Usage: "show who has an address, or asks for it", ArgsUsage: "ADDRESS",
			Action: p.action(1, 1, func(ctx context.Context, args []string) error { return p.findUser(ctx, args[0]) }),
		},
	}
	return p.group("user", "one account", append(commands, p.lifecycleCommands()...)...)
}

// userView is an account as it is printed.
type userView struct {
	UserID           string      `json:"userId"`
	Username         string      `json:"username,omitempty"`
	Status           string      `json:"status"`
	Email            string      `json:"email,omitempty"`
	FirstName        string      `json:"firstName,omitempty"`
	LastName         string      `json:"lastName,omitempty"`
	Phone            string      `json:"phone,omitempty"`
	Version          int64       `json:"version"`
	CreatedAt        time.Time   `json:"createdAt,omitzero"`
	UpdatedAt        time.Time   `json:"updatedAt,omitzero"`
	SuspendedAt      time.Time   `json:"suspendedAt,omitzero"`
	SuspendReason    string      `json:"suspendReason,omitempty"`
	DeletedAt        time.Time   `json:"deletedAt,omitzero"`
	PurgeAfter       time.Time   `json:"purgeAfter,omitzero"`
	TokensValidAfter time.Time   `json:"tokensValidAfter,omitzero"`
	Emails           []emailView `json:"emails,omitempty"`
}

type emailView struct {
	EmailID    string    `json:"emailId"`
	Email      string    `json:"email"`
	Primary    bool      `json:"isPrimary"`
	Verified   bool      `json:"isVerified"`
	VerifiedAt time.Time `json:"verifiedAt,omitzero"`
	CreatedAt  time.Time `json:"createdAt"`
}

func viewOf(u *userstore.User) userView {
	return userView{
		UserID: u.UserID, Username: u.Username, Status: string(u.Status), Email: u.Email,
		FirstName: u.FirstName, LastName: u.LastName, Phone: u.Phone, Version: u.Version,
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, SuspendedAt: u.SuspendedAt, SuspendReason: u.SuspendReason,
		DeletedAt: u.DeletedAt, PurgeAfter: u.PurgeAfter, TokensValidAfter: u.TokensValidAfter,
	}
}

func (p *program) getUser(ctx context.Context, userID string) error {
	addresses, err := p.addresses(ctx)
	if err != nil {
		return err
	}
	user, rows, err := addresses.Profile(ctx, userID)
	if err != nil {
		return err
	}
	view := viewOf(user)
	for _, row := range rows {
		view.Emails = append(view.Emails, emailView{
			EmailID: row.EmailID, Email: row.Email, Primary: row.IsPrimary, Verified: row.IsVerified,
			VerifiedAt: row.VerifiedAt, CreatedAt: row.CreatedAt,
		})
	}
	return p.printUser(view)
}

// printUser prints an account: its fields one below the other, then its addresses.
func (p *program) printUser(view userView) error {
	if p.json {
		return p.printJSON(view)
	}
	fields := p.list("USER", view.UserID)
	for _, field := range []struct {
		name  string
		value any
	}{
		{"username", view.Username}, {"status", view.Status}, {"email", view.Email}, {"first name", view.FirstName},
		{"last name", view.LastName}, {"phone", view.Phone}, {"version", view.Version}, {"created", view.CreatedAt},
		{"updated", view.UpdatedAt}, {"suspended", view.SuspendedAt}, {"reason", view.SuspendReason}, {"deleted", view.DeletedAt},
		{"purge after", view.PurgeAfter}, {"tokens valid after", view.TokensValidAfter},
	} {
		if cellText(field.value) == "-" {
			continue
		}
		if err := fields.add(nil, field.name, field.value); err != nil {
			return err
		}
	}
	if err := fields.end(); err != nil {
		return err
	}
	rows := p.list("EMAIL ID", "ADDRESS", "PRIMARY", "VERIFIED", "CREATED")
	for _, row := range view.Emails {
		if err := rows.add(nil, row.EmailID, row.Email, row.Primary, row.VerifiedAt, row.CreatedAt); err != nil {
			return err
		}
	}
	return rows.end()
}

// holderView is an account that has an address, or asks for it.
type holderView struct {
	UserID  string `json:"userId"`
	EmailID string `json:"emailId,omitempty"`
	// Owner is true for the account that the verified address belongs to.
	Owner bool `json:"owner"`
}

// findUser shows the owner, consistently read, and beside it who else has the address in the index, which lags.
func (p *program) findUser(ctx context.Context, address string) error {
	addresses, err := p.addresses(ctx)
	if err != nil {
		return err
	}
	store, err := p.readableUsers(ctx)
	if err != nil {
		return err
	}
	owner, err := store.GetByEmail(ctx, address)
	if err != nil && !errors.Is(err, userstore.ErrNotFound) {
		return err
	}
	holders, err := addresses.Holders(ctx, address)
	if err != nil {
		return err
	}
	var views []holderView
	for _, holder := range holders {
		views = append(views, holderView{UserID: holder.UserID, EmailID: holder.EmailID, Owner: owner != nil && owner.UserID == holder.UserID})
	}
	if len(views) == 0 && owner != nil {
		views = append(views, holderView{UserID: owner.UserID, Owner: true})
	}
	if len(views) == 0 {
		return userstore.ErrNotFound
	}
	rows := p.list("USER", "EMAIL ID", "OWNER")
	for _, view := range views {
		if err := rows.add(view, view.UserID, view.EmailID, view.Owner); err != nil {
			return err
		}
	}
	return rows.end()
}

// readableUsers opens the accounts for reading: no outbox is needed.
func (p *program) readableUsers(ctx context.Context) (*userstore.Store, error) {
	client, err := p.dynamodb(ctx)
	if err != nil {
		return nil, err
	}
	store, err := userstore.New(client, p.accounts())
	if err != nil {
		return nil, usagef("%w", err)
	}
	return store, nil
}

// addresses opens the addresses for reading. The secret of codes stays with the services: what stands here in its place would make
// codes that nobody accepts, and no mail is ever sent.
func (p *program) addresses(ctx context.Context) (*emails.Store, error) {
	client, err := p.dynamodb(ctx)
	if err != nil {
		return nil, err
	}
	unused := []emails.Secret{{ID: "unused", Key: []byte(rand.Text() + rand.Text())}}
	store, err := emails.New(client, noMail{}, unused, emails.Config{Store: p.accounts()})
	if err != nil {
		return nil, usagef("%w", err)
	}
	return store, nil
}

// noMail is the sender of a program that sends no codes.
type noMail struct{}

func (noMail) Send(context.Context, emails.Message) error {
	return errors.New("usercore-admin sends no mail")
}
