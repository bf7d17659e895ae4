package lambda_test

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// functions are all programs below this directory, with the variables that each cannot do without.
func functions() map[string][]string {
	accounts := func(more ...string) []string {
		return append([]string{"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE"}, more...)
	}
	return map[string][]string{
		"api":               accounts("USERCORE_CLIENT_ID", "USERCORE_USER_POOL_ID", "USERCORE_CODE_SECRET", "USERCORE_MAIL_FROM"),
		"postconfirmation":  accounts("USERCORE_SIGNUP_QUEUE_URL"),
		"signupdeadletters": accounts(),
		"outboxpoller":      {"USERCORE_OUTBOX_TABLE", "USERCORE_EVENT_BUS"},
		"outboxstream":      {"USERCORE_OUTBOX_TABLE", "USERCORE_EVENT_BUS"},
		"cognitoevents":     accounts("USERCORE_USER_POOL_ID"),
		"reconciler":        accounts("USERCORE_USER_POOL_ID"),
		"purgesweeper":      accounts(),
	}
}

// TestFunctions builds every function as it is deployed and starts it with nothing set, and with the variables of the template. The module of
// integration tests invokes them.
func TestFunctions(t *testing.T) {
	t.Parallel()
	programs := buildAll(t)
	for name, required := range functions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(programs, name)
			testStatic(t, program)
			testMissing(t, program, required)
		})
	}
	t.Run("template", func(t *testing.T) {
		t.Parallel()
		testTemplate(t, programs)
	})
}

func buildAll(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", dir}
	for name := range functions() {
		args = append(args, "./"+name)
	}
	build := exec.CommandContext(t.Context(), "go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return dir
}

// testStatic wants no interpreter, the loader of shared libraries: Lambda's runtime has none to count on.
func testStatic(t *testing.T, program string) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Logf("not an ELF file: %v", err) // built for a developer's own system; CI builds for Linux
		return
	}
	defer file.Close()
	for _, segment := range file.Progs {
		assert.NotEqual(t, elf.PT_INTERP, segment.Type, "%s is linked dynamically", program)
	}
}

// testMissing wants every variable that is missing to be named at once.
func testMissing(t *testing.T, program string, required []string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), program)
	process.Env = environ(nil)
	output, err := process.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 1, exit.ExitCode())
	for _, name := range required {
		assert.Contains(t, string(output), name+": is not set")
	}
}

// environ is a small environment: nothing of the machine's may decide how a function starts.
func environ(more map[string]string) []string {
	env := []string{
		"HOME=/nonexistent", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any",
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}
