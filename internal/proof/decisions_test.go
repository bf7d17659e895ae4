package proof

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decidingPackages have the decision functions.
func decidingPackages() []string { return []string{"userstore", "emails", "internal/account"} }

// sampledMutants is how many mutants are run without -mutants; the rest is only made.
const sampledMutants = 2

// mutantsAtOnce is how many run at a time: each of them compiles.
const mutantsAtOnce = 2

// TestDecisionsAreNeeded changes each line of the decision functions, one at a time, and runs their package's tests: one must fail. It is the
// same for rules as TestConditionsAreNeeded is for conditions. Without -mutants it takes a sample.
func TestDecisionsAreNeeded(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	var all []mutant
	for _, pkg := range decidingPackages() {
		found, err := mutantsOf(root, pkg)
		require.NoError(t, err)
		all = append(all, found...)
	}
	require.Greater(t, len(all), 100, "they are not found any more")
	if !*mutantsFlag {
		all = sample(all)
	}
	results, dir := make([]fate, len(all)), t.TempDir()
	next := make(chan int)
	var runners sync.WaitGroup
	for range mutantsAtOnce {
		runners.Go(func() {
			for i := range next {
				var err error
				results[i], err = all[i].run(root, filepath.Join(dir, fmt.Sprint(i)))
				assert.NoError(t, err)
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	runners.Wait()
	reportMutants(t, all, results)
}

// sample is a few mutants, the same in each run.
func sample(all []mutant) []mutant {
	var some []mutant
	for i := range sampledMutants {
		some = append(some, all[(2*i+1)*len(all)/(2*sampledMutants)])
	}
	return some
}

// fate is what became of a mutant: the test that fails, or that it does not compile.
type fate struct {
	caughtBy string
	invalid  bool
}

// run runs the tests of a mutant's package: those of the decisions, and all of them if these pass.
func (m mutant) run(root, dir string) (fate, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fate{}, err
	}
	source, err := os.ReadFile(m.file)
	if err != nil {
		return fate{}, err
	}
	changed := filepath.Join(dir, mutantFile)
	text := slices.Concat(source[:m.from], []byte(m.after), source[m.to:])
	if err := os.WriteFile(changed, text, 0o600); err != nil {
		return fate{}, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file: changed}})
	if err != nil {
		return fate{}, err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return fate{}, err
	}
	for _, tests := range []string{"Decision", "."} {
		v, err := m.test(root, overlayFile, tests)
		if err != nil || v.invalid || v.caughtBy != "" {
			return v, err
		}
	}
	return fate{}, nil
}

// mutantFile is the changed file, which the compiler names when it does not compile.
const mutantFile = "mutant.go"

var failedTest = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

func (m mutant) test(root, overlay, tests string) (fate, error) {
	packages := []string{"./" + m.pkg}
	if m.pkg == "internal/account" { // its rules are tested where they are used
		packages = append(packages, "./userstore", "./emails")
	}
	args := append([]string{"test", "-vet=off", "-count=1", "-timeout=5m", "-failfast", "-overlay", overlay, "-run", tests}, packages...)
	command := exec.Command("go", args...)
	command.Dir = root
	output, err := command.CombinedOutput()
	if err == nil {
		return fate{}, nil
	}
	text := string(output)
	if strings.Contains(text, "[build failed]") && strings.Contains(text, mutantFile+":") {
		return fate{invalid: true}, nil
	}
	failed := failedTest.FindAllStringSubmatch(text, -1)
	switch {
	case len(failed) > 0:
		return fate{caughtBy: failed[len(failed)-1][1]}, nil
	case strings.Contains(text, "panic: test timed out"):
		return fate{caughtBy: "the tests' time limit"}, nil
	case strings.Contains(text, "panic:"):
		return fate{caughtBy: "a panic"}, nil
	}
	return fate{}, fmt.Errorf("%s: %w: %s", m, err, text)
}

// reportMutants prints the table, and fails for mutants that no test catches and that are not known to be the same.
func reportMutants(t *testing.T, all []mutant, results []fate) {
	t.Helper()
	var table, survivors strings.Builder
	caught, invalid, used := 0, 0, map[string]bool{}
	for i, m := range all {
		v := results[i]
		switch reason, same := sameMutants()[m.String()]; {
		case v.invalid:
			invalid++
			continue
		case v.caughtBy != "":
			caught++
			fmt.Fprintf(&table, "\n%s:%d\t%s | %s | %s", filepath.Base(m.file), m.line, m.function, m.change(), v.caughtBy)
		case same:
			used[m.String()] = true
			fmt.Fprintf(&table, "\n%s:%d\t%s | %s | the same: %s", filepath.Base(m.file), m.line, m.function, m.change(), reason)
		default:
			fmt.Fprintf(&survivors, "\n%s:%d\t%s", filepath.Base(m.file), m.line, m)
		}
	}
	t.Logf("%s\n%d mutants: %d caught, %d the same program, %d do not compile", &table, len(all), caught, len(used), invalid)
	require.Empty(t, survivors.String(), "no test sees these changes")
	if *mutantsFlag {
		require.Len(t, used, len(sameMutants()), "a mutant that is listed as the same is gone, or is caught")
	}
}
