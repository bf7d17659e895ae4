package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// Exit statuses; the package page says when each is used.
const (
	exitDone        = 0
	exitFound       = 1
	exitUsage       = 2
	exitRefused     = 3
	exitFailed      = 4
	exitInterrupted = 130 // as shells report SIGINT
)

var (
	// errUsage marks errors of the command line.
	errUsage = errors.New("wrong usage")
	// errFound says that a check found something. The report has been printed.
	errFound = errors.New("the check found something")
	// errDeclined says that the answer to a question was not yes.
	errDeclined = errors.New("not confirmed, nothing was done")
)

// markedError has its own text and is what its mark is.
type markedError struct {
	error
	mark error
}

func (e markedError) Unwrap() []error { return []error{e.error, e.mark} }

// usagef is an error of the command line.
func usagef(format string, args ...any) error {
	return markedError{fmt.Errorf(format, args...), errUsage}
}

// foundf is the last line of a check that found something.
func foundf(format string, args ...any) error {
	return markedError{fmt.Errorf(format, args...), errFound}
}

// statuses are the errors that have a status of their own, the first that fits.
var statuses = []struct {
	err    error
	status int
}{
	{errUsage, exitUsage},
	{errFound, exitFound},
	{errDeclined, exitRefused},
	{userstore.ErrInvalid, exitUsage},
	{cognitosync.ErrToken, exitUsage},
	{userstore.ErrNotFound, exitRefused},
	{userstore.ErrStatus, exitRefused},
	{userstore.ErrNotActive, exitRefused},
	{outbox.ErrNotFound, exitRefused},
}

func exitStatus(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		return exitInterrupted
	}
	for _, s := range statuses {
		if errors.Is(err, s.err) {
			return s.status
		}
	}
	return exitFailed
}
