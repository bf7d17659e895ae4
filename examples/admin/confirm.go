package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// confirm asks on the terminal whether to go on. It returns errDeclined unless the answer is y or yes, and refuses to guess when
// there is no terminal.
func (p *program) confirm(ctx context.Context, format string, args ...any) error {
	if p.yes {
		return nil
	}
	if !isTerminal(p.stdin) {
		return usagef("there is no terminal to ask on: say --yes to go on")
	}
	fmt.Fprintf(p.stderr, format+" [y/N] ", args...)
	answers := make(chan string, 1)
	go func() { // a read of a terminal cannot be cut off: after an interruption it ends with the process
		line, _ := bufio.NewReader(p.stdin).ReadString('\n')
		answers <- line
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(p.stderr)
		return ctx.Err()
	case answer := <-answers:
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return nil
		}
		return errDeclined
	}
}

// isTerminal says whether a stream of the program is a terminal.
func isTerminal(stream any) bool {
	file, isFile := stream.(*os.File)
	return isFile && term.IsTerminal(int(file.Fd()))
}
