package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/cognitosync"
)

// appliedClasses are repaired by --apply alone. The others suspend accounts, or enable users whom somebody may have disabled on purpose:
// they are named with --class.
func appliedClasses() []cognitosync.Class {
	return []cognitosync.Class{cognitosync.PoolOnly, cognitosync.AddressDiffers, cognitosync.StillEnabled}
}

func (p *program) reconcileCommand() *cli.Command {
	run := reconcile{program: p}
	return &cli.Command{
		Name: "reconcile", Usage: "compare the user pool with the table; a dry run without --apply",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "apply", Usage: "repair what differs", Destination: &run.apply},
			&cli.StringSliceFlag{Name: "class", Usage: "with --apply, `CLASS` of drift to repair; may be repeated", Destination: &run.classes},
			&cli.DurationFlag{
				Name: "min-age", Usage: "`TIME` both sides were left alone before a difference counts, if not 15m", HideDefault: true,
				Destination: &run.minAge,
			},
			rateFlag(&run.rate),
			&cli.StringFlag{Name: "resume", Usage: "`TOKEN` of a run that ended early", Destination: &run.token},
		},
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	}
}

type reconcile struct {
	*program
	apply   bool
	classes []string
	minAge  time.Duration
	rate    float64
	token   string
}

func (r *reconcile) do(ctx context.Context) error {
	if r.userPool == "" {
		return usagef("--user-pool is missing")
	}
	repair, err := r.repair()
	if err != nil {
		return err
	}
	open := r.readableUsers
	if r.apply {
		open = r.users // repairs are changes with events
	}
	users, err := open(ctx)
	if err != nil {
		return err
	}
	pool, err := r.cognito(ctx)
	if err != nil {
		return err
	}
	bar := r.progress("reconcile", 0)
	reconciler, err := cognitosync.NewReconciler(pool, users, cognitosync.ReconcileConfig{
		UserPoolID: r.userPool, Repair: repair, CallsPerSecond: r.rate, MinAge: r.minAge,
		Progress: func(at cognitosync.Progress) { bar.set(at.PoolUsers + at.Accounts) },
	})
	if err != nil {
		return usagef("%w", err)
	}
	if r.apply {
		if err := r.confirm(ctx, "Repair %v in pool %s and table %s?", repair, r.userPool, r.table); err != nil {
			return err
		}
	}
	report, err := reconciler.Run(ctx, r.token)
	bar.end()
	return r.ended(report, err)
}

// repair is what --apply and --class ask for.
func (r *reconcile) repair() ([]cognitosync.Class, error) {
	if !r.apply {
		if len(r.classes) > 0 {
			return nil, usagef("--class says what --apply repairs: --apply is missing")
		}
		return nil, nil
	}
	if len(r.classes) == 0 {
		return appliedClasses(), nil
	}
	var repair []cognitosync.Class
	for _, name := range r.classes {
		class := cognitosync.Class(name)
		if !slices.Contains(cognitosync.Classes(), class) {
			return nil, usagef("--class %q is none of %v", name, cognitosync.Classes())
		}
		repair = append(repair, class)
	}
	return repair, nil
}

// ended prints the report, and for a run that ended early how to go on.
func (r *reconcile) ended(report *cognitosync.Report, err error) error {
	if report != nil {
		if printErr := r.report(report); printErr != nil {
			return printErr
		}
	}
	if err != nil {
		if report != nil && report.Token != "" {
			fmt.Fprintf(r.stderr, "to go on: the same command with --resume %s\n", report.Token)
		}
		return err
	}
	if report.ExitCode() != exitDone {
		return foundf("pool and table differ")
	}
	return nil
}

func (r *reconcile) report(report *cognitosync.Report) error {
	if r.json {
		return r.printJSON(report)
	}
	rows := r.list("CLASS", "USER", "OUTCOME", "DETAIL")
	for _, f := range report.Findings {
		if err := rows.add(f, f.Class, f.UserID, f.Outcome, f.Detail); err != nil {
			return err
		}
	}
	if err := rows.end(); err != nil {
		return err
	}
	var drifts int64
	for class := range report.Drifts {
		drifts += report.Found(class)
	}
	fmt.Fprintf(r.stdout, "%d users of the pool, %d accounts, %d drifts, %d requests to Cognito\n",
		report.PoolUsers, report.Accounts, drifts, report.Calls)
	return nil
}
