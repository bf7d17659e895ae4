package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRunbooks pastes what docs/runbooks.md has to practise with into bash: each of its blocks against a server of its own. A block ends with
// status 0 if every command of it does. (Go does not see that the page has changed: -count=1 runs the test again.)
func TestRunbooks(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("the runbooks are for bash: ", err)
		}
	}
	bin := t.TempDir()
	build, err := exec.Command("go", "build", "-o", filepath.Join(bin, "usercore-admin"), "../admin").CombinedOutput()
	require.NoError(t, err, string(build))
	page, err := os.ReadFile("../../docs/runbooks.md")
	require.NoError(t, err)
	setUp, exercises := runbooks(t, string(page))
	for title, block := range exercises {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			s := start(t, "-dynamodb", "127.0.0.1:0")
			here := strings.NewReplacer("http://127.0.0.1:8080", s.api, "http://127.0.0.1:8000", s.dynamodb)
			bash := exec.Command("bash", "--noprofile", "--norc", "-euo", "pipefail", "-c", here.Replace(setUp)+"\n"+block)
			bash.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "AWS_EC2_METADATA_DISABLED=true")
			output, err := bash.CombinedOutput()
			require.NoError(t, err, "%s\nstderr of the server: %s", output, s.stderr.String())
		})
	}
}

var (
	runbookTitle = regexp.MustCompile(`(?m)^## (.+)$`)
	shellBlock   = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// runbooks returns the block that the page begins with, without the commands that build and start something, and one block for each
// runbook that has one.
func runbooks(t *testing.T, page string) (setUp string, exercises map[string]string) {
	t.Helper()
	titles := runbookTitle.FindAllStringSubmatchIndex(page, -1)
	require.NotEmpty(t, titles)
	first := shellBlock.FindStringSubmatch(page[:titles[0][0]])
	require.NotNil(t, first)
	for _, line := range strings.Split(first[1], "\n") {
		if !strings.HasPrefix(line, "go ") {
			setUp += line + "\n"
		}
	}
	exercises = map[string]string{}
	for i, title := range titles {
		end := len(page)
		if i+1 < len(titles) {
			end = titles[i+1][0]
		}
		if block := shellBlock.FindStringSubmatch(page[title[1]:end]); block != nil {
			exercises[page[title[2]:title[3]]] = block[1]
		}
	}
	require.NotEmpty(t, exercises)
	return setUp, exercises
}
