package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/userstore/adopt"
)

func (p *program) adoptCommand() *cli.Command {
	run := adoption{program: p}
	return &cli.Command{
		Name: "adopt", Usage: "bring a table over that other programs have written; a dry run without --apply",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: "write what the accounts lack", Destination: &run.apply},
			&cli.IntFlag{Name: "rate", Usage: "`NUMBER` of accounts a second, if not 100", HideDefault: true, Destination: &run.rate},
			&cli.StringFlag{Name: "resume", Usage: "`TOKEN` of a run that ended early", Destination: &run.token},
		},
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	}
}

type adoption struct {
	*program
	apply bool
	rate  int
	token string
}

func (a *adoption) do(ctx context.Context) error {
	store, err := a.accountsFor(a.apply)
	if err != nil {
		return err
	}
	client, err := a.dynamodb(ctx)
	if err != nil {
		return err
	}
	items, err := a.itemCount(ctx, client)
	if err != nil {
		return err
	}
	if a.apply {
		if err := a.confirm(ctx, "Adopt the accounts of table %s?", a.table); err != nil {
			return err
		}
	}
	bar, at := a.progress("adopt", items), a.token
	report, err := adopt.Run(ctx, client, adopt.Config{
		Store: store, Apply: a.apply, AccountsPerSecond: a.rate,
		Progress: func(r adopt.Report, token string) {
			bar.set(r.Accounts)
			at = token
		},
	}, a.token)
	bar.end()
	if errors.Is(err, adopt.ErrToken) {
		return usagef("--resume: %w", err)
	}
	if printErr := a.print(report); printErr != nil {
		return printErr
	}
	if err != nil {
		if at != "" {
			fmt.Fprintf(a.stderr, "go on with --resume %s\n", at)
		}
		return err
	}
	if !report.Settled() {
		return foundf("table %s is not settled", a.table)
	}
	return nil
}

// print prints the report as one object, or the problems and a line with the counts.
func (a *adoption) print(report adopt.Report) error {
	if a.json {
		return a.printJSON(report)
	}
	rows := a.list("PROBLEM", "USER")
	for _, problem := range report.Problems {
		if err := rows.add(problem, string(problem.Kind), problem.UserID); err != nil {
			return err
		}
	}
	if err := rows.end(); err != nil {
		return err
	}
	did := "would be adopted"
	if a.apply {
		did = "adopted"
	}
	problems := int64(0)
	for _, count := range report.Kinds {
		problems += count
	}
	if report.StaleClaims > 0 {
		fmt.Fprintf(a.stdout, "%d claims without an address\n", report.StaleClaims)
	}
	fmt.Fprintf(a.stdout, "%d accounts, %d %s, %d moving, %d problems\n", report.Accounts, report.Adopted, did, report.Moved, problems)
	return nil
}
