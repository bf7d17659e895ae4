package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/userstore/lifecycle"
)

func (p *program) sweepCommand() *cli.Command {
	run := sweep{program: p}
	return &cli.Command{
		Name: "sweep", Usage: "remove what has come to the end of its life: deleted accounts and unverified addresses; a dry run without --apply",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: "remove it", Destination: &run.apply},
			&cli.DurationFlag{
				Name: "unverified-life", Usage: "`TIME` that an unverified address is kept after its lease, if not 720h", HideDefault: true,
				Destination: &run.unverifiedLife,
			},
			&cli.IntFlag{Name: "rate", Usage: "`NUMBER` of items a second, if not 1000", HideDefault: true, Destination: &run.rate},
			&cli.StringFlag{Name: "resume", Usage: "`TOKEN` of a run that ended early", Destination: &run.token},
		},
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	}
}

type sweep struct {
	*program
	apply          bool
	unverifiedLife time.Duration
	rate           int
	token          string
}

func (s *sweep) do(ctx context.Context) error {
	store, err := s.accountsFor(s.apply)
	if err != nil {
		return err
	}
	client, err := s.dynamodb(ctx)
	if err != nil {
		return err
	}
	items, err := s.itemCount(ctx, client)
	if err != nil {
		return err
	}
	bar := s.progress("sweep", items)
	janitor, err := lifecycle.New(client, lifecycle.Config{
		Store: store, UnverifiedLife: s.unverifiedLife, DryRun: !s.apply, Rate: s.rate, Progress: func(n int64, _ string) { bar.set(n) },
	})
	if err != nil {
		return usagef("%w", err)
	}
	if s.apply {
		if err := s.confirm(ctx, "Remove what is due from table %s?", s.table); err != nil {
			return err
		}
	}
	report, err := janitor.Run(ctx, s.token)
	bar.end()
	if errors.Is(err, lifecycle.ErrToken) {
		return usagef("--resume: %w", err)
	}
	return s.ended(report, err)
}

// ended prints the report, and how to go on if there is more.
func (s *sweep) ended(report *lifecycle.Report, err error) error {
	if s.json {
		if err := s.printJSON(report); err != nil {
			return err
		}
	} else {
		rows := s.list("NOT REMOVED", "EMAIL ID", "ERROR")
		for _, failure := range report.Failures {
			if err := rows.add(failure, failure.UserID, failure.EmailID, failure.Error); err != nil {
				return err
			}
		}
		if err := rows.end(); err != nil {
			return err
		}
		did := "removed"
		if report.DryRun {
			did = "due"
		}
		fmt.Fprintf(s.stdout, "%d accounts and %d addresses %s, %d failed\n", report.Purged, report.Lapsed, did, report.Failed)
	}
	if err != nil {
		fmt.Fprintf(s.stderr, "go on with --resume %s\n", report.Token)
		return err
	}
	if report.Failed > 0 {
		return foundf("%d removals failed; the next run tries again", report.Failed)
	}
	return nil
}
