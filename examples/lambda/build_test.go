package lambda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// emulatorModule is Lambda's runtime interface emulator. It is no dependency of this module, whose Go version it would raise.
const emulatorModule = "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@v0.0.0-20261030222936-bef5c4ba774d"

// functions are all programs below this directory.
func functions() []string {
	return []string{
		"api", "postconfirmation", "signupdeadletters", "outboxpoller", "outboxstream", "cognitoevents", "reconciler", "purgesweeper",
	}
}

// binaries are the built functions and the emulator, in one directory.
type binaries struct{ dir string }

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

func buildAll(t *testing.T) binaries {
	t.Helper()
	b := binaries{dir: t.TempDir()}
	args := []string{"build", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", b.dir}
	for _, name := range functions() {
		args = append(args, "./"+name)
	}
	build := exec.Command("go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))

	install := exec.Command("go", "install", emulatorModule)
	install.Env = append(os.Environ(), "GOBIN="+b.dir, "GOFLAGS=")
	output, err = install.CombinedOutput()
	require.NoError(t, err, string(output))
	return b
}
