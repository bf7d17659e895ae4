// Command testlog reads `go test -json` on its standard input, shows it as it comes and ends with a line of the form
// "LABEL: N passed". It exits with 1, and without that line, if a test failed or was skipped or none ran.
//
//	go test -json ./... | testlog -label tests
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/usercore-go/usercore/integration/internal/testlog"
)

func main() {
	label := flag.String("label", "tests", "what the last line begins with")
	flag.Parse()
	summary, err := testlog.Read(os.Stdin, os.Stdout)
	if err == nil {
		err = summary.Err()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", *label, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d passed\n", *label, summary.Passed)
}
