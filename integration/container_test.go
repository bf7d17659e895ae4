package integration_test

import (
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"

	"github.com/usercore-go/usercore/integration/internal/testlog"
	"github.com/usercore-go/usercore/internal/suite"
)

const (
	imageVariable = "USERCORE_TEST_IMAGE"

	defaultImage = "amazon/dynamodb-local:latest"
	enginePort   = "8000/tcp"
	startTimeout = time.Minute
)

//go:embed packages.txt
var packages string

// TestSuites skips only if nobody named an image and there is no Docker: who names an image wants to see it tested.
func TestSuites(t *testing.T) {
	image := os.Getenv(imageVariable)
	if image == "" {
		testcontainers.SkipIfProviderIsNotHealthy(t)
		image = defaultImage
	}
	summary := runSuites(t, start(t, image))
	require.NoError(t, summary.Err())
	fmt.Printf("containers: %d passed\n", summary.Passed)
}

// start runs the image until the test ends and returns the engine's endpoint.
func start(t *testing.T, image string) string {
	t.Helper()
	container, err := testcontainers.Run(t.Context(), image,
		testcontainers.WithExposedPorts(enginePort),
		testcontainers.WithWaitStrategyAndDeadline(startTimeout, listTables()))
	testcontainers.CleanupContainer(t, container)
	require.NoError(t, err)
	endpoint, err := container.PortEndpoint(t.Context(), enginePort, "http")
	require.NoError(t, err)
	return endpoint
}

// listTables waits for an answer to a request that every DynamoDB understands. An open port would say nothing: Docker's proxy
// opens it before the engine listens.
func listTables() wait.Strategy {
	return wait.ForHTTP("/").WithPort(enginePort).WithMethod(http.MethodPost).
		WithHeaders(map[string]string{
			"Content-Type":  "application/x-amz-json-1.0",
			"X-Amz-Target":  "DynamoDB_20120810.ListTables",
			"Authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
		}).
		WithBody(strings.NewReader("{}")).
		WithStatusCodeMatcher(func(status int) bool { return status < http.StatusInternalServerError })
}

// runSuites runs the contract tests of the root module on the engine and shows their results as they come. An earlier result is
// never taken from go test's cache: the same endpoint may be another engine today.
func runSuites(t *testing.T, endpoint string) testlog.Summary {
	t.Helper()
	run := exec.CommandContext(t.Context(), "go", append([]string{"test", "-json", "-count=1"}, strings.Fields(packages)...)...)
	run.Dir = ".."
	run.Env = append(os.Environ(), suite.EndpointVariable+"="+endpoint)
	run.Stderr = os.Stderr
	events, err := run.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, run.Start())
	summary, err := testlog.Read(events, os.Stdout, nil)
	require.NoError(t, err)
	if err := run.Wait(); err != nil && summary.Err() == nil {
		require.NoError(t, err)
	}
	return summary
}
