package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// service is what the server is on AWS and on this machine: the API on a table, and the relay of its events.
type service struct {
	api    *httpapi.Handler
	users  *userstore.Store
	client *dynamodb.Client
	table  string
	layout layout
	// relay and outbox are nil for a deployment without events.
	relay   *outbox.Relay
	outbox  *outbox.Admin
	metrics *metrics
	logger  *slog.Logger
}

// paths are the paths beside the API.
func (s *service) paths() map[string]methods {
	return map[string]methods{
		"/healthz": {api: s.api, get: s.healthz},
		"/readyz":  {api: s.api, get: s.readyz},
		"/metrics": {api: s.api, get: s.metrics.get},
	}
}

// route is every path of the server. What stands in no row is the API's, which answers 404 to what it does not know.
func (s *service) route(paths map[string]methods) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.api)
	for path, methods := range paths {
		mux.Handle(path, methods)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isClean(r.URL) { // the mux would redirect
			s.api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// publish runs the relay until ctx ends, and then publishes what still waits. An error before says that the relay cannot go on; after
// that, only events that wait too long are left, in the table.
func (s *service) publish(ctx context.Context) error {
	if err := s.relay.Run(ctx); ctx.Err() == nil {
		return fmt.Errorf("publishing events: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := s.relay.RunOnce(ctx); err != nil {
		s.logger.Warn("not all events were published before the stop", "error", err)
	}
	return nil
}

// count measures the outbox until ctx ends.
func (s *service) count(ctx context.Context) error { return countOutbox(ctx, s.outbox, s.logger) }
