// Package testlog reads what `go test -json` prints and says whether every test ran and passed. It fails on a skipped test and on
// a run without tests, which go test itself lets pass.
package testlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// ErrNoTests means that nothing ran, so nothing is proved.
var ErrNoTests = errors.New("no test ran")

// event is a line of `go test -json` (`go doc test2json`, and `go help buildjson` for what the compiler says).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// test names a test or a subtest.
type test struct{ pkg, name string }

func (t test) String() string { return t.pkg + " " + t.name }

// Summary is what a run came to. Tests and their subtests count alike.
type Summary struct {
	Passed  int
	Failed  []string // "package test", or a package that does not build or that ends outside its tests
	Skipped []string // "package test"
}

// Err is nil when at least one test ran and all of them passed.
func (s Summary) Err() error {
	switch {
	case len(s.Failed) > 0:
		return fmt.Errorf("failed: %s", strings.Join(s.Failed, ", "))
	case len(s.Skipped) > 0:
		return fmt.Errorf("skipped: %s", strings.Join(s.Skipped, ", "))
	case s.Passed == 0:
		return ErrNoTests
	}
	return nil
}

// Read consumes a run to its end. While it reads it writes to log go test's own line for each finished package, the compiler's
// complaints, and the output of each test that fails or is skipped, or whose name shown matches; the output of the others is dropped. A
// nil shown matches none.
func Read(run io.Reader, log io.Writer, shown *regexp.Regexp) (Summary, error) {
	r := reader{log: log, shown: shown, output: make(map[test]*strings.Builder)}
	lines := bufio.NewReader(run)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := r.line(line); err != nil {
				return r.summary, err
			}
		}
		if errors.Is(err, io.EOF) {
			return r.summary, nil
		}
		if err != nil {
			return r.summary, fmt.Errorf("read the run: %w", err)
		}
	}
}

type reader struct {
	log     io.Writer
	shown   *regexp.Regexp
	output  map[test]*strings.Builder // of the tests that have not ended
	summary Summary
}

// line takes one event. A line that is none comes from the go command itself and is shown as it is.
func (r *reader) line(line []byte) error {
	var e event
	if json.Unmarshal(line, &e) != nil {
		return r.show(string(line))
	}
	if e.Action == "build-output" {
		return r.show(e.Output)
	}
	if e.Test == "" {
		return r.packageEvent(e)
	}
	return r.testEvent(e)
}

func (r *reader) packageEvent(e event) error {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" {
			return r.show(e.Output)
		}
	case "fail":
		r.summary.Failed = append(r.summary.Failed, e.Package)
	}
	return nil
}

func (r *reader) testEvent(e event) error {
	t := test{e.Package, e.Test}
	switch e.Action {
	case "output":
		if strings.HasPrefix(e.Output, "=== ") { // go test's own word on where it is
			return nil
		}
		if r.output[t] == nil {
			r.output[t] = new(strings.Builder)
		}
		r.output[t].WriteString(e.Output)
	case "pass":
		r.summary.Passed++
		if r.shown != nil && r.shown.MatchString(t.name) {
			return r.showOutput(t)
		}
		delete(r.output, t)
	case "fail":
		r.summary.Failed = append(r.summary.Failed, t.String())
		return r.showOutput(t)
	case "skip":
		r.summary.Skipped = append(r.summary.Skipped, t.String())
		return r.showOutput(t)
	}
	return nil
}

func (r *reader) showOutput(t test) error {
	output := r.output[t]
	delete(r.output, t)
	if output == nil {
		return nil
	}
	return r.show(output.String())
}

func (r *reader) show(text string) error {
	if _, err := io.WriteString(r.log, text); err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	return nil
}
