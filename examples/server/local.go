package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// serveLocal runs the server on this machine alone until ctx ends and everything is written. It prints the ready line and the walk-through
// to stdout.
func serveLocal(ctx context.Context, opts options, stdout io.Writer, logger *slog.Logger) error {
	kept, err := openData(opts.data)
	if err != nil {
		return err
	}
	cloud := newCloud(kept.db)
	app, err := newApp(ctx, cloud, kept.keys, logger)
	if err != nil {
		return err
	}
	if err := kept.save(); err != nil { // a file that cannot be written is found out now
		return err
	}

	var servers servers
	defer servers.close()
	api, err := servers.listen("-addr", opts.addr, app.handler(), logger)
	if err != nil {
		return err
	}
	dynamodb := ""
	if opts.dynamodb != "" {
		if dynamodb, err = servers.listen("-dynamodb", opts.dynamodb, cloud, logger); err != nil {
			return err
		}
	}
	printReady(stdout, api, dynamodb)
	keep := func(ctx context.Context) error { return kept.keep(ctx, logger) }
	return errors.Join(servers.run(ctx, logger, keep, app.publish, app.count), kept.save())
}

// printReady says that all listeners are up, and where, in one write.
func printReady(w io.Writer, api, dynamodb string) {
	ready := readyLine(api)
	if dynamodb != "" {
		ready += fmt.Sprintf("usercore: DynamoDB on %s, table %s\n", dynamodb, tableName)
	}
	_, _ = io.WriteString(w, ready+"\n"+commands(api, walkthrough())) // a server whose output nobody reads serves all the same
}

// readyLine is the line that scripts wait for.
func readyLine(api string) string { return fmt.Sprintf("usercore: listening on %s\n", api) }
