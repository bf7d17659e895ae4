package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore/audit"
)

func (p *program) auditCommand() *cli.Command {
	run := auditTable{program: p}
	return &cli.Command{
		Name: "audit", Usage: "check the invariants of the whole table; it writes nothing without --repair",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "repair", Usage: "repair what needs no person to decide", Destination: &run.repair},
			&cli.IntFlag{
				Name: "segments", Usage: "`NUMBER` of parts of the table that are read at once, if not 4", HideDefault: true, Destination: &run.segments,
			},
		},
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	}
}

type auditTable struct {
	*program
	repair   bool
	segments int
}

func (a *auditTable) do(ctx context.Context) error {
	cfg := audit.Config{Table: a.table, MaxEmails: a.maxEmails, Segments: a.segments}
	if a.repair {
		store, err := a.changeableAccounts()
		if err != nil {
			return err
		}
		cfg.Repair = &audit.Repair{Store: store}
	}
	client, err := a.dynamodb(ctx)
	if err != nil {
		return err
	}
	items, err := a.itemCount(ctx, client)
	if err != nil {
		return err
	}
	if cfg.Outbox, err = a.waitingEvents(ctx); err != nil {
		return err
	}
	if a.repair {
		if err := a.confirm(ctx, "Repair table %s?", a.table); err != nil {
			return err
		}
	}
	bar := a.progress("audit", items)
	cfg.Progress = bar.set
	report, err := audit.Run(ctx, client, cfg)
	bar.end()
	if err != nil && report.Violations == nil {
		return usagef("%w", err)
	}
	return a.ended(report, err)
}

// itemCount is how many items the table had within the last six hours: good enough for a bar.
func (p *program) itemCount(ctx context.Context, client *dynamodb.Client) (int64, error) {
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &p.table})
	if err != nil {
		return 0, fmt.Errorf("table %s: %w", p.table, err)
	}
	if out.Table == nil || out.Table.ItemCount == nil {
		return 0, nil
	}
	return *out.Table.ItemCount, nil
}

// waitingEvents shows the events that wait, nil when no outbox is named.
func (p *program) waitingEvents(ctx context.Context) (*outbox.Admin, error) {
	if p.outboxTable == "" {
		return nil, nil
	}
	return p.outboxAdmin(ctx)
}

// ended prints the report as one object, or the violations and a line with the counts. After an error it is what was found and repaired so far.
func (a *auditTable) ended(report audit.Report, err error) error {
	if a.json {
		if err := a.printJSON(report); err != nil {
			return err
		}
	} else {
		rows := a.list("INVARIANT", "KIND", "USER", "EMAIL ID", "DETAIL", "REPAIR")
		for _, v := range report.Violations {
			if err := rows.add(v, v.Invariant, string(v.Kind), v.UserID, v.EmailID, v.Detail, a.outcome(v)); err != nil {
				return err
			}
		}
		if err := rows.end(); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%d accounts, %d addresses, %d claims, %d violations, %d repaired\n",
			report.Users, report.Emails, report.Claims, report.Found(), report.Repaired)
	}
	if err != nil {
		return err
	}
	if left := report.Found() - report.Repaired; left > 0 {
		return foundf("table %s has %d violations", a.table, left)
	}
	return nil
}

// outcome is what was done about a violation, or can be.
func (a *auditTable) outcome(v audit.Violation) string {
	switch {
	case v.Repaired:
		return "repaired"
	case v.Remedy == "" || a.repair:
		return "for a person"
	}
	return v.Remedy
}
