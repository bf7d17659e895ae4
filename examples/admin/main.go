package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on a signal ends the process at once
	os.Exit(run(ctx, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// program is one run of the command: what it was told, and where it reads and writes.
type program struct {
	settings
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run is the program: args as os.Args has them, the exit status as the result.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{stdin: stdin, stdout: stdout, stderr: stderr}
	err := p.command().Run(ctx, args)
	if err != nil {
		fmt.Fprintln(stderr, "usercore-admin:", err)
	}
	return exitStatus(ctx, err)
}

// command is the tree of commands.
func (p *program) command() *cli.Command {
	root := p.group("usercore-admin", "work on the accounts of a usercore deployment",
		p.userCommand(), p.revokeAllCommand(), p.auditCommand(), p.adoptCommand(), p.sweepCommand(), p.reconcileCommand(), p.outboxCommand(), p.dlqCommand(), p.tableCommand())
	root.Flags = p.flags()
	root.Writer, root.ErrWriter = p.stdout, p.stderr
	root.HideVersion = true
	root.ExitErrHandler = func(context.Context, *cli.Command, error) {} // run prints the error and knows the status
	return root
}

// group is a command that only has commands below it.
func (p *program) group(name, usage string, commands ...*cli.Command) *cli.Command {
	for _, c := range commands {
		c.OnUsageError = usageError
	}
	return &cli.Command{
		Name: name, Usage: usage, Commands: commands, OnUsageError: usageError, HideHelpCommand: true,
		Action: func(_ context.Context, c *cli.Command) error {
			if c.Args().Present() {
				return usagef("%s: there is no command %q; see --help", commandName(c), c.Args().First())
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

// commandName is the command as its user knows it, without the program.
func commandName(c *cli.Command) string {
	_, name, isBelow := strings.Cut(c.FullName(), " ")
	if !isBelow {
		return "command line"
	}
	return name
}

// usageError keeps the library from printing the help after an error, which would hide the error.
func usageError(_ context.Context, c *cli.Command, err error, _ bool) error {
	return usagef("%s: %w; see --help", commandName(c), err)
}

// action checks the settings and the number of arguments before it does the work.
func (p *program) action(least, most int, do func(ctx context.Context, args []string) error) cli.ActionFunc {
	return func(ctx context.Context, c *cli.Command) error {
		args := c.Args().Slice()
		switch {
		case len(args) < least:
			return usagef("%s: missing %s; see --help", commandName(c), c.ArgsUsage)
		case len(args) > most:
			return usagef("%s: unexpected argument %q; see --help", commandName(c), args[most])
		}
		if err := p.check(); err != nil {
			return err
		}
		return do(ctx, args)
	}
}
