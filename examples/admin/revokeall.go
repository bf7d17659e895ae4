package main

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/cognitosync"
)

func (p *program) revokeAllCommand() *cli.Command {
	run := revokeAll{program: p}
	return &cli.Command{
		Name: "revoke-all", Usage: "make the tokens of all accounts invalid, and with --user-pool sign everybody out",
		Flags: []cli.Flag{
			rateFlag(&run.rate),
			&cli.StringFlag{Name: "resume", Usage: "`TOKEN` of a run that ended early", Destination: &run.token},
		},
		OnUsageError: usageError,
		Action:       p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	}
}

// rateFlag is the pace of long work on a user pool.
func rateFlag(to *float64) cli.Flag {
	return &cli.FloatFlag{Name: "rate", Usage: "`NUMBER` of requests to Cognito a second, if not 5", HideDefault: true, Destination: to}
}

type revokeAll struct {
	*program
	rate  float64
	token string
}

func (r *revokeAll) do(ctx context.Context) error {
	if r.userPool == "" && r.token != "" {
		return usagef("--resume goes on with a user pool: --user-pool is missing")
	}
	users, err := r.readableUsers(ctx) // the fleet-wide time is no change of an account, so it has no event
	if err != nil {
		return err
	}
	if r.userPool == "" {
		if err := r.confirm(ctx, "Make all access tokens of table %s invalid?", r.table); err != nil {
			return err
		}
		validAfter, err := users.RevokeAllTokens(ctx)
		if err != nil {
			return err
		}
		return r.report(cognitosync.RevokeProgress{ValidAfter: validAfter})
	}
	pool, err := r.cognito(ctx)
	if err != nil {
		return err
	}
	bar := r.progress("sign-out", 0)
	revoker, err := cognitosync.NewRevoker(pool, users, cognitosync.RevokeConfig{
		UserPoolID: r.userPool, CallsPerSecond: r.rate,
		Progress: func(at cognitosync.RevokeProgress) { bar.set(at.Done) },
	})
	if err != nil {
		return usagef("%w", err)
	}
	if err := r.confirm(ctx, "Make all access tokens invalid and sign out every user of pool %s?", r.userPool); err != nil {
		return err
	}
	done, err := revoker.RevokePool(ctx, r.token)
	bar.end()
	return r.ended(done, err)
}

// ended reports how far the run came. One that ended early is told how to go on; the time before which tokens are refused stays.
func (r *revokeAll) ended(done cognitosync.RevokeProgress, err error) error {
	if reportErr := r.report(done); reportErr != nil {
		return reportErr
	}
	if err != nil {
		if done.Token != "" {
			fmt.Fprintf(r.stderr, "to go on: usercore-admin revoke-all --user-pool %s --resume %s\n", r.userPool, done.Token)
		}
		return err
	}
	if done.Failed > 0 {
		return foundf("%d users were not signed out", done.Failed)
	}
	return nil
}

func (r *revokeAll) report(done cognitosync.RevokeProgress) error {
	rows := r.list("TOKENS VALID AFTER", "USERS DONE", "FAILED")
	if err := rows.add(done, done.ValidAfter.UTC().Truncate(time.Second), done.Done, done.Failed); err != nil {
		return err
	}
	return rows.end()
}
