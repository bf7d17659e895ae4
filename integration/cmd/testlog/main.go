// Command testlog reads `go test -json` on its standard input, shows it as it comes and ends with a line of the form
// "LABEL: N passed". It exits with 1, and without that line, if a test failed or was skipped or none ran. What a test that passes has
// logged is shown only if its name matches -show.
//
//	go test -json ./... | testlog -label tests -show '^TestWithTable$'
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"

	"github.com/usercore-go/usercore/integration/internal/testlog"
)

func main() {
	label := flag.String("label", "tests", "what the last line begins with")
	var shown *regexp.Regexp
	flag.Func("show", "regular expression for the tests whose log is shown though they pass", func(text string) (err error) {
		shown, err = regexp.Compile(text)
		return err
	})
	flag.Parse()
	summary, err := testlog.Read(os.Stdin, os.Stdout, shown)
	if err == nil {
		err = summary.Err()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", *label, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d passed\n", *label, summary.Passed)
}
