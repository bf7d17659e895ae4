package main

import (
	"context"
	"maps"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/usercore-go/usercore/cognitosync"
)

func (p *program) dlqCommand() *cli.Command {
	run := redriveQueue{program: p}
	return p.group("dlq", "messages that could not be handled", &cli.Command{
		Name: "redrive", Usage: "handle the messages of a queue again",
		Flags: []cli.Flag{
			&cli.StringFlag{
				Name: "signup-queue", Usage: "`URL` of a queue of sign-ups without an account: the accounts are made now, by this command",
				Destination: &run.signupQueue,
			},
			&cli.StringFlag{
				Name: "queue-arn", Usage: "`ARN` of a dead-letter queue: its messages go back to where they came from", Destination: &run.queueARN,
			},
			&cli.IntFlag{
				Name: "rate", Usage: "with --queue-arn, `NUMBER` of messages a second, 1 to 500", HideDefault: true, Destination: &run.rate,
			},
		},
		Action: p.action(0, 0, func(ctx context.Context, _ []string) error { return run.do(ctx) }),
	})
}

type redriveQueue struct {
	*program
	signupQueue, queueARN string
	rate                  int
}

func (r *redriveQueue) do(ctx context.Context) error {
	switch {
	case (r.signupQueue == "") == (r.queueARN == ""):
		return usagef("dlq redrive: give either --signup-queue or --queue-arn")
	case r.queueARN != "":
		return r.move(ctx)
	case r.rate != 0:
		return usagef("dlq redrive: --rate goes with --queue-arn")
	}
	return r.drain(ctx)
}

// move lets SQS move the messages; it goes on after the command.
func (r *redriveQueue) move(ctx context.Context) error {
	queues, err := r.sqs(ctx)
	if err != nil {
		return err
	}
	handle, err := cognitosync.Redrive(ctx, queues, r.queueARN, r.rate)
	if err != nil {
		return err
	}
	rows := r.list("MOVE STARTED")
	if err := rows.add(map[string]string{"taskHandle": handle}, handle); err != nil {
		return err
	}
	return rows.end()
}

// drain makes the accounts that the messages ask for.
func (r *redriveQueue) drain(ctx context.Context) error {
	users, err := r.users(ctx)
	if err != nil {
		return err
	}
	queue, err := r.sqs(ctx)
	if err != nil {
		return err
	}
	letters, err := cognitosync.NewDeadLetters(users, nil)
	if err != nil {
		return err
	}
	done, err := letters.Drain(ctx, queue, r.signupQueue)
	if printErr := r.report(done); printErr != nil {
		return printErr
	}
	if err != nil {
		return err // a message that was not deleted comes again, and is handled again
	}
	if len(done.Left) > 0 {
		return foundf("some messages failed and stay in the queue")
	}
	return nil
}

// drained is the result as it is printed.
type drained struct {
	Made int            `json:"made"`
	Left map[string]int `json:"left"`
}

func (r *redriveQueue) report(done cognitosync.DrainReport) error {
	if r.json {
		return r.printJSON(drained(done))
	}
	rows := r.list("OUTCOME", "MESSAGES")
	if err := rows.add(nil, "made", done.Made); err != nil {
		return err
	}
	for _, reason := range slices.Sorted(maps.Keys(done.Left)) {
		if err := rows.add(nil, "left: "+reason, done.Left[reason]); err != nil {
			return err
		}
	}
	return rows.end()
}
