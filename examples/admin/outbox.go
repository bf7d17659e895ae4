package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/outbox"
)

func (p *program) outboxCommand() *cli.Command {
	var all bool
	return p.group("outbox", "events that are not published",
		&cli.Command{
			Name: "ls", Usage: "list what waits, of one account or of all", ArgsUsage: "[USERID]",
			Action: p.action(0, 1, func(ctx context.Context, args []string) error { return p.listPacks(ctx, (*outbox.Admin).Waiting, args) }),
		},
		&cli.Command{
			Name: "dead", Usage: "list the dead letters, of one account or of all", ArgsUsage: "[USERID]",
			Action: p.action(0, 1, func(ctx context.Context, args []string) error { return p.listPacks(ctx, (*outbox.Admin).Dead, args) }),
		},
		&cli.Command{
			Name: "redrive", Usage: "send again what could not be published; remove the cause first", ArgsUsage: "USERID | --all",
			Flags:  []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "of all accounts", Destination: &all}},
			Action: p.action(0, 1, func(ctx context.Context, args []string) error { return p.redriveOutbox(ctx, all, args) }),
		},
	)
}

func (p *program) outboxAdmin(ctx context.Context) (*outbox.Admin, error) {
	table, err := p.outbox()
	if err != nil {
		return nil, err
	}
	client, err := p.dynamodb(ctx)
	if err != nil {
		return nil, err
	}
	admin, err := outbox.NewAdmin(client, outbox.AdminConfig{Table: table, Shards: p.shards})
	if err != nil {
		return nil, usagef("%w", err)
	}
	return admin, nil
}

// packView is a pack as it is listed. Payloads are personal data and stay out.
type packView struct {
	UserID        string    `json:"userId"`
	Seq           int64     `json:"seq"` // of the first event
	Types         []string  `json:"types"`
	CreatedAt     time.Time `json:"createdAt"`
	Attempts      int       `json:"attempts"`
	NextAttemptAt time.Time `json:"nextAttemptAt,omitzero"`
	HeldAt        time.Time `json:"heldAt,omitzero"`
	Error         string    `json:"error,omitempty"`
}

// packs is a listing of outbox.Admin.
type packs func(a *outbox.Admin, ctx context.Context, aggregateID string) iter.Seq2[outbox.Pack, error]

func (p *program) listPacks(ctx context.Context, read packs, args []string) error {
	admin, err := p.outboxAdmin(ctx)
	if err != nil {
		return err
	}
	rows := p.list("USER", "SEQ", "TYPES", "CREATED", "ATTEMPTS", "NEXT ATTEMPT", "HELD", "ERROR")
	for pack, err := range read(admin, ctx, strings.Join(args, "")) {
		if err != nil {
			return err
		}
		view := packView{
			UserID: pack.AggregateID, CreatedAt: pack.CreatedAt, Attempts: pack.Attempts,
			NextAttemptAt: pack.NextAttemptAt, HeldAt: pack.HeldAt, Error: pack.Error,
		}
		for i, event := range pack.Events {
			if i == 0 {
				view.Seq = event.Seq
			}
			view.Types = append(view.Types, event.Type)
		}
		err := rows.add(view, view.UserID, view.Seq, strings.Join(view.Types, " "), view.CreatedAt, view.Attempts,
			view.NextAttemptAt, view.HeldAt, view.Error)
		if err != nil {
			return err
		}
	}
	return rows.end()
}

// redriven is the result of a redrive as it is printed.
type redriven struct {
	Released int `json:"released"`
	Returned int `json:"returned"`
	Left     int `json:"left"`
}

func (p *program) redriveOutbox(ctx context.Context, all bool, args []string) error {
	if all == (len(args) == 1) {
		return usagef("outbox redrive: give either a USERID or --all")
	}
	admin, err := p.outboxAdmin(ctx)
	if err != nil {
		return err
	}
	var done outbox.Redriven
	if all {
		done, err = admin.RedriveAll(ctx)
	} else {
		done, err = admin.Redrive(ctx, args[0])
	}
	if err != nil {
		return fmt.Errorf("%w; what was sent again stays so, repeat the command for the rest", err)
	}
	rows := p.list("RELEASED", "RETURNED", "LEFT")
	if err := rows.add(redriven(done), done.Released, done.Returned, done.Left); err != nil {
		return err
	}
	if err := rows.end(); err != nil {
		return err
	}
	if done.Left > 0 {
		return foundf("%d dead letters stay until later events of their transactions are published; repeat then", done.Left)
	}
	return nil
}
