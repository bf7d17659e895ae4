package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/usercore-go/usercore/examples/deployment"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from then on a signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// run is the program: it returns the exit status when ctx has ended and the server has stopped, or when it cannot start. The variables of
// the environment that lookup knows decide whether it runs on AWS or on this machine alone.
func run(ctx context.Context, args []string, lookup func(name string) string, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		return exitUsage // the flag package has said why
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	if set := deployment.FirstSet(lookup); set != "" {
		err = serveDeployed(ctx, opts, set, lookup, stdout, logger)
	} else {
		err = serveLocal(ctx, opts, stdout, logger)
	}
	if err != nil {
		fmt.Fprintln(stderr, "usercore:", err)
		return exitFailed
	}
	return exitOK
}

// options is what the command line says.
type options struct {
	addr     string
	data     string // empty: nothing is kept
	dynamodb string // empty: not served
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var opts options
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opts.addr, "addr", "127.0.0.1:8080", "`address` of the API; port 0 picks a free one")
	flags.StringVar(&opts.data, "data", "", "`file` that keeps tables and keys across restarts")
	flags.StringVar(&opts.dynamodb, "dynamodb", "", "`address` to serve the in-memory DynamoDB on too")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		err := fmt.Errorf("unexpected argument %q", flags.Arg(0))
		fmt.Fprintln(stderr, err)
		flags.Usage()
		return options{}, err
	}
	return opts, nil
}
