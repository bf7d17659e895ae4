package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/outbox"
)

// serveDeployed runs the server on AWS, as the environment says, until ctx ends. Set is a variable that tells so. It prints the ready line to
// stdout.
func serveDeployed(
	ctx context.Context, opts options, set string, lookup func(string) string, stdout io.Writer, logger *slog.Logger,
) error {
	switch {
	case opts.data != "":
		return fmt.Errorf("-data contradicts %s: it is for a server without AWS", set)
	case opts.dynamodb != "":
		return fmt.Errorf("-dynamodb contradicts %s: it is for a server without AWS", set)
	}
	d, err := deployment.Open(ctx, lookup, logger)
	if err != nil {
		return err
	}
	s, err := newDeployed(d)
	if err != nil {
		return err
	}
	var servers servers
	defer servers.close()
	api, err := servers.listen("-addr", opts.addr, s.route(s.paths()), logger)
	if err != nil {
		return err
	}
	_, _ = io.WriteString(stdout, readyLine(api)) // as in the local mode
	var background []func(context.Context) error
	if s.relay != nil {
		background = append(background, s.publish, s.count)
	}
	return servers.run(ctx, logger, background...)
}

// newDeployed puts the service together on AWS. It makes no request; an error names every variable that is wrong.
func newDeployed(d *deployment.Deployment) (*service, error) {
	if d.Text("USERCORE_AUTH", "") == "gateway" {
		d.Refuse("USERCORE_AUTH", "gateway is for the Lambda function: nobody in front of this server hands over claims")
	}
	measured, err := newMetrics()
	if err != nil {
		return nil, err
	}
	d.Meters = measured.provider
	var relay *outbox.Relay
	var admin *outbox.Admin
	var relayErr error
	if !d.WithoutOutbox() {
		relay, admin, relayErr = newRelay(d)
	}
	if relay != nil {
		d.Wake = relay.Wake
	}
	built, err := d.Service(httpapi.Config{Timeout: requestTimeout})
	if wrong := d.Err(); wrong != nil { // all variables, also those that no part before has come to
		return nil, wrong
	}
	if err := errors.Join(relayErr, err); err != nil {
		return nil, err
	}
	return &service{
		api: built.API, users: built.Users, client: built.DynamoDB, table: built.Table,
		relay: relay, outbox: admin, metrics: measured, logger: d.Logger,
	}, nil
}

// newRelay publishes to the bus what the outbox has, and counts what is left.
func newRelay(d *deployment.Deployment) (*outbox.Relay, *outbox.Admin, error) {
	cfg := outbox.RelayConfig{ShutdownTimeout: shutdownTimeout, Publishing: outbox.Publishing{Logger: d.Logger, MeterProvider: d.Meters}}
	cfg.Table, cfg.Shards = d.Outbox()
	bus, err := d.Bus()
	if err != nil {
		return nil, nil, err
	}
	admin, err := outbox.NewAdmin(d.DynamoDB(), outbox.AdminConfig{Table: cfg.Table, Shards: cfg.Shards, MeterProvider: d.Meters})
	if err != nil {
		return nil, nil, err
	}
	relay, err := outbox.NewRelay(d.DynamoDB(), bus, cfg)
	return relay, admin, err
}
