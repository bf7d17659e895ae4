package main

import (
	"context"
	"errors"
	"fmt"
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

// run serves until ctx ends or something fails, and then stops all. What runs in the background stops after the last request; when it ends
// before, the servers stop: without its events, or when nothing is kept, a service is of no use.
func (s servers) run(ctx context.Context, logger *slog.Logger, background ...func(context.Context) error) error {
	beside, stopBeside := context.WithCancel(context.WithoutCancel(ctx))
	defer stopBeside()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var tasks errgroup.Group
	for _, task := range background {
		tasks.Go(func() error {
			defer stop()
			return task(beside)
		})
	}
	err := s.serve(ctx, logger)
	stopBeside()
	return errors.Join(err, tasks.Wait())
}

// serve answers requests until ctx ends or a server fails, and then stops all servers.
func (s servers) serve(ctx context.Context, logger *slog.Logger) error {
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
