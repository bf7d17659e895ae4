package lambda_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// function is a running function behind the emulator.
type function struct {
	t    *testing.T
	name string
	url  string
}

// readyTimeout is what the emulator may take to listen; it takes milliseconds.
const readyTimeout = 20 * time.Second

// start runs a function behind an emulator of its own, with these variables beside those of the environment that every process needs.
func start(t *testing.T, b binaries, name string, env map[string]string) *function {
	t.Helper()
	address := freeAddress(t)
	emulator := exec.Command(b.path("aws-lambda-rie"), "--runtime-interface-emulator-address", address,
		"--runtime-api-address", freeAddress(t), "--log-level", "error", b.path(name), "handler")
	emulator.Dir = t.TempDir()
	emulator.Env = append(environ(env), "AWS_LAMBDA_FUNCTION_TIMEOUT=60", "AWS_LAMBDA_FUNCTION_NAME="+name)
	var log bytes.Buffer
	emulator.Stdout, emulator.Stderr = &log, &log
	require.NoError(t, emulator.Start())
	t.Cleanup(func() {
		_ = emulator.Process.Signal(os.Interrupt)
		_ = emulator.Wait() // its status tells how it was stopped
		if t.Failed() {
			t.Log(log.String())
		}
	})
	f := &function{t: t, name: name, url: "http://" + address + "/2015-03-31/functions/function/invocations"}
	require.Eventually(t, func() bool {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			_ = connection.Close()
		}
		return err == nil
	}, readyTimeout, 5*time.Millisecond)
	return f
}

// invoke sends an event and returns the answer, bytes as they come.
func (f *function) invoke(event string) string {
	f.t.Helper()
	response, err := http.Post(f.url, "application/json", bytes.NewReader([]byte(event)))
	require.NoError(f.t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(f.t, err)
	require.Equal(f.t, http.StatusOK, response.StatusCode, string(body))
	return string(body)
}

// environ is a small environment: nothing of the machine's may decide how a function runs.
func environ(more map[string]string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "AWS_REGION=us-east-1", "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any",
		"GORACE=atexit_sleep_ms=0",
	}
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return env
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return listener.Addr().String()
}

// wrongSettings runs a function that cannot start, by itself.
func wrongSettings(t *testing.T, b binaries, name string, env map[string]string, want ...string) {
	t.Helper()
	program := exec.Command(b.path(name))
	program.Env = environ(env)
	output, err := program.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 1, exit.ExitCode())
	for _, text := range want {
		assert.Contains(t, string(output), text)
	}
}
