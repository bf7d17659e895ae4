package integration_test

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// emulatorVariable names Lambda's runtime interface emulator.
const emulatorVariable = "USERCORE_LAMBDA_RIE"

// emulator is the path of the emulator; without one the test is skipped.
func emulator(t *testing.T) string {
	t.Helper()
	path := os.Getenv(emulatorVariable)
	if path == "" {
		t.Skipf("%s names no program", emulatorVariable)
	}
	return path
}

// binaries are programs of the examples, built, and the emulator.
type binaries struct{ dir, emulator string }

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// build builds programs, by their directories below examples, as they are deployed.
func build(t *testing.T, emulator string, programs ...string) binaries {
	t.Helper()
	b := binaries{dir: t.TempDir(), emulator: emulator}
	args := append([]string{"build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", b.dir + "/"}, programs...)
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Dir, command.Env = "../examples", append(os.Environ(), "CGO_ENABLED=0")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	return b
}

// function is a running function behind the emulator.
type function struct {
	t *testing.T
	// address is the emulator's URL.
	address string
}

// startFunction runs a function behind an emulator of its own, with these variables beside those of the environment that every process needs.
func startFunction(t *testing.T, b binaries, name string, env map[string]string) *function {
	t.Helper()
	address := freeAddress(t)
	startProgram(t, t.TempDir(), append(environ(env), "AWS_LAMBDA_FUNCTION_TIMEOUT=60", "AWS_LAMBDA_FUNCTION_NAME="+name),
		b.emulator, "--runtime-interface-emulator-address", address, "--runtime-api-address", freeAddress(t), "--log-level", "error",
		b.path(name), "handler")
	await(t, address)
	return &function{t: t, address: "http://" + address}
}

// invoke sends an event and returns the answer, bytes as they come.
func (f *function) invoke(event string) string {
	f.t.Helper()
	response, err := http.Post(f.address+"/2015-03-31/functions/function/invocations", "application/json", bytes.NewReader([]byte(event)))
	require.NoError(f.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	require.Equal(f.t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}

// environ is a small environment: nothing of the machine's may decide how a program runs.
func environ(more map[string]string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any",
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}
