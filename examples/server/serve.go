package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Limits of the HTTP servers.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = time.Minute
	maxHeader         = 32 << 10 // bytes; a token has up to 8 KB
	// stopTimeout leaves three of the ten seconds that a stop may take for what comes after the last request.
	stopTimeout = 7 * time.Second
)

// serve runs the server until ctx ends and everything is written. It prints the ready line and the walk-through to stdout.
func serve(ctx context.Context, opts options, stdout io.Writer, logger *slog.Logger) error {
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

	// What runs beside the requests stops after the last of them.
	background, stopBackground := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBackground()
	ctx, stop := context.WithCancel(ctx)
	var tasks errgroup.Group
	tasks.Go(func() error { return kept.keep(background, logger) })
	tasks.Go(func() error {
		defer stop() // a service without its events is of no use
		return app.publish(background)
	})
	err = servers.run(ctx, logger)
	stopBackground()
	return errors.Join(err, tasks.Wait(), kept.save())
}

// printReady says that all listeners are up, and where, in one write.
func printReady(w io.Writer, api, dynamodb string) {
	ready := fmt.Sprintf("usercore: listening on %s\n", api)
	if dynamodb != "" {
		ready += fmt.Sprintf("usercore: DynamoDB on %s, table %s\n", dynamodb, tableName)
	}
	_, _ = io.WriteString(w, ready+"\n"+commands(api, walkthrough())) // a server whose output nobody reads serves all the same
}

// servers are HTTP servers with their listeners, which start and stop together.
type servers []server

type server struct {
	http.Server
	listener net.Listener
}

// listen adds a server and returns its URL. Connections wait until run serves them.
func (s *servers) listen(flagName, address string, handler http.Handler, logger *slog.Logger) (string, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flagName, err)
	}
	*s = append(*s, server{listener: listener, Server: http.Server{
		Handler:           handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}})
	return baseURL(listener.Addr()), nil
}

// baseURL is how a client on this machine reaches a listener.
func baseURL(address net.Addr) string {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return "http://" + address.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// run serves until ctx ends or a server fails, and then stops all.
func (s servers) run(ctx context.Context, logger *slog.Logger) error {
	group, ctx := errgroup.WithContext(ctx)
	for i := range s {
		group.Go(func() error {
			if err := s[i].Serve(s[i].listener); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serving %s: %w", s[i].listener.Addr(), err)
			}
			return nil
		})
		group.Go(func() error {
			<-ctx.Done()
			s[i].stop(logger)
			return nil
		})
	}
	return group.Wait()
}

// stop lets the requests finish for a while, and then closes their connections.
func (s *server) stop(logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		logger.Warn("requests did not finish in time", "listener", s.listener.Addr().String(), "error", err)
		_ = s.Close() // all that could fail is closing what is to be given up
	}
}

// close gives the listeners up that nobody serves any more.
func (s servers) close() {
	for i := range s {
		_ = s[i].listener.Close() // closed already, after a run
	}
}
