package integration

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// defaultImage is a public image of a DynamoDB that listens on 8000.
const defaultImage = "amazon/dynamodb-local:2.5.2"

// TestSuites starts the engine's image and runs the suites of the root module against it.
func TestSuites(t *testing.T) {
	image := os.Getenv("USERCORE_TEST_IMAGE")
	if image == "" {
		image = defaultImage
	}
	container, err := testcontainers.Run(t.Context(), image,
		testcontainers.WithExposedPorts("8000/tcp"),
		testcontainers.WithWaitStrategy(wait.ForListeningPort("8000/tcp").SkipInternalCheck().WithStartupTimeout(time.Minute)),
	)
	testcontainers.CleanupContainer(t, container)
	require.NoError(t, err)
	endpoint, err := container.PortEndpoint(t.Context(), "8000/tcp", "http")
	require.NoError(t, err)

	passed, skipped := runSuites(t, endpoint)
	require.Zero(t, skipped, "a skipped test has not passed")
	require.NotZero(t, passed)
	fmt.Printf("containers: %d passed\n", passed)
}

// runSuites runs the tests that honour USERCORE_TEST_DYNAMODB, and counts them.
func runSuites(t *testing.T, endpoint string) (passed, skipped int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-json", "./userstore/...", "./emails/...")
	command.Dir = ".."
	command.Env = append(os.Environ(), "USERCORE_TEST_DYNAMODB="+endpoint)
	out, err := command.Output()
	var failed bytes.Buffer
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var event struct{ Action, Test, Output string }
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event))
		switch {
		case event.Action == "output":
			failed.WriteString(event.Output)
		case event.Test != "" && event.Action == "pass":
			passed++
		case event.Test != "" && event.Action == "skip":
			skipped++
		}
	}
	require.NoError(t, err, failed.String())
	return passed, skipped
}
