package testlog_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/integration/internal/testlog"
)

func TestRead(t *testing.T) {
	t.Parallel()
	const (
		passes = `{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"pass","Package":"p","Test":"TestA/sub","Elapsed":0}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0}
`
		ends = `{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.01s\n"}
{"Action":"pass","Package":"p","Elapsed":0.01}
`
	)
	for name, tc := range map[string]struct {
		run, show, log, err string
		passed              int
	}{
		"all_pass": {run: passes + ends, log: "ok  \tp\t0.01s\n", passed: 2},
		"shown": {
			run: `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: a table\n"}
{"Action":"output","Package":"p","Test":"TestB/sub","Output":"    b_test.go:2: a detail\n"}
{"Action":"pass","Package":"p","Test":"TestB/sub"}
{"Action":"pass","Package":"p","Test":"TestB"}
` + passes + ends,
			show: "^Test[AB]$", log: "    b_test.go:1: a table\nok  \tp\t0.01s\n", passed: 4,
		},
		"failed_test": {
			run: passes + `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.01s\n"}
{"Action":"fail","Package":"p"}
`,
			log: "    b_test.go:1: wrong\nFAIL\tp\t0.01s\n", err: "failed: p TestB, p", passed: 2,
		},
		"skipped_test": {
			run: passes + `{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:1: not here\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
` + ends,
			log: "    b_test.go:1: not here\nok  \tp\t0.01s\n", err: "skipped: p TestB", passed: 2,
		},
		"does_not_build": {
			run: `{"ImportPath":"p","Action":"build-output","Output":"p.go:3:1: syntax error\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`,
			log: "p.go:3:1: syntax error\n", err: "failed: p",
		},
		"package_without_tests_is_no_skip": {
			run: passes + ends + `{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}
{"Action":"skip","Package":"q"}
`,
			log: "ok  \tp\t0.01s\n?   \tq\t[no test files]\n", passed: 2,
		},
		"line_of_the_go_command": {run: "go: downloading x v1.0.0\n" + passes, log: "go: downloading x v1.0.0\n", passed: 2},
		"last_line_without_end":  {run: strings.TrimSuffix(passes, "\n"), passed: 2},
		"nothing_ran":            {run: ends, log: "ok  \tp\t0.01s\n", err: "no test ran"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			var shown *regexp.Regexp
			if tc.show != "" {
				shown = regexp.MustCompile(tc.show)
			}
			summary, err := testlog.Read(strings.NewReader(tc.run), &log, shown)
			require.NoError(t, err)
			assert.Equal(t, tc.log, log.String())
			assert.Equal(t, tc.passed, summary.Passed)
			if tc.err == "" {
				assert.NoError(t, summary.Err())
			} else {
				assert.EqualError(t, summary.Err(), tc.err)
			}
		})
	}
}
