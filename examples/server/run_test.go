package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadyLine(t *testing.T) {
	t.Parallel()
	s := start(t, "-dynamodb", "127.0.0.1:0")
	ready, rest, _ := strings.Cut(s.output, "\n")
	assert.Regexp(t, `^usercore: listening on http://127\.0\.0\.1:[1-9][0-9]*$`, ready)
	assert.Regexp(t, `^usercore: DynamoDB on http://127\.0\.0\.1:[1-9][0-9]*, table usercore\n\n# Paste`, rest)
	assert.NotContains(t, s.output, "jq")
	newClient(t, s.api).expect(http.StatusOK, "GET", "/healthz", "")
	newClient(t, s.api).expect(http.StatusOK, "GET", "/readyz", "")
}

// TestDynamoDBListener reads what the API wrote, with a client of its own.
func TestDynamoDBListener(t *testing.T) {
	t.Parallel()
	s := start(t, "-dynamodb", "127.0.0.1:0")
	_, userID := newClient(t, s.api).newUser("ada@example.com")
	table := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &s.dynamodb,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
		}),
	})
	page, err := table.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	assert.EqualValues(t, 3, page.Count, "profile, address and claim")
	holds := false
	for _, item := range page.Items {
		holds = holds || strings.Contains(stringOf(item["PK"]), userID)
	}
	assert.True(t, holds)
}

func TestUnspecifiedAddressIsLocalhost(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"0.0.0.0", "::"} {
		assert.Equal(t, "http://localhost:80", baseURL(&net.TCPAddr{IP: net.ParseIP(host), Port: 80}))
	}
	assert.Equal(t, "http://[::1]:80", baseURL(&net.TCPAddr{IP: net.IPv6loopback, Port: 80}))
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	noData := t.TempDir() + "/none.data"
	cases := map[string]struct {
		args   []string
		status int
		says   string
	}{
		"help":                 {[]string{"-h"}, exitOK, "-addr address"},
		"unknown_flag":         {[]string{"-port", "1"}, exitUsage, "not defined: -port"},
		"argument":             {[]string{"here"}, exitUsage, `unexpected argument "here"`},
		"address_in_use":       {[]string{"-addr", taken.Addr().String()}, exitFailed, "usercore: -addr: listen"},
		"bad_address":          {[]string{"-addr", "nowhere"}, exitFailed, "usercore: -addr: listen"},
		"dynamodb_in_use":      {[]string{"-addr", "127.0.0.1:0", "-dynamodb", taken.Addr().String()}, exitFailed, "usercore: -dynamodb: listen"},
		"data_in_no_directory": {[]string{"-addr", "127.0.0.1:0", "-data", noData + "/x"}, exitFailed, "usercore: -data: "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, c.status, run(t.Context(), c.args, noVariables, &stdout, &stderr))
			assert.Contains(t, stderr.String(), c.says)
			assert.Empty(t, stdout.String())
		})
	}
}

// TestSignals starts the server as a process and stops it with each of the signals.
func TestSignals(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			require.NoError(t, err)
			process := exec.CommandContext(t.Context(), self, "-addr", "127.0.0.1:0")
			process.Env = append(os.Environ(), asServer+"=1")
			stdout, err := process.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, process.Start())
			ready, err := bufio.NewReader(stdout).ReadString('\n')
			require.NoError(t, err)
			newClient(t, between(ready, "listening on ", "\n")).newUser("ada@example.com")
			require.NoError(t, process.Process.Signal(signal))
			require.NoError(t, process.Wait(), "exit status 0")
		})
	}
}

// TestStopFinishesRequests stops a server while the body of a request is still on its way.
func TestStopFinishesRequests(t *testing.T) {
	t.Parallel()
	s := start(t)
	begun := make(chan struct{})
	ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{Got100Continue: func() { close(begun) }})
	body, send := io.Pipe()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.api+"/dev/users", body)
	require.NoError(t, err)
	request.Header = http.Header{"Content-Type": {"application/json"}, "Expect": {"100-continue"}}
	answered := make(chan *http.Response, 1)
	go func() {
		response, err := (&http.Transport{ExpectContinueTimeout: stopTimeout}).RoundTrip(request)
		assert.NoError(t, err)
		answered <- response
	}()

	<-begun
	s.cancel()
	waitUntilClosed(t, s.api)
	_, err = io.WriteString(send, `{"email":"ada@example.com"}`)
	require.NoError(t, err)
	require.NoError(t, send.Close())

	response := <-answered
	require.NotNil(t, response)
	defer response.Body.Close()
	assert.Equal(t, http.StatusCreated, response.StatusCode)
	assert.Equal(t, exitOK, s.stop())
}

// waitUntilClosed returns when nothing listens at a URL any more.
func waitUntilClosed(t *testing.T, address string) {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	for {
		connection, err := net.Dial("tcp", parsed.Host)
		if err != nil {
			return
		}
		require.NoError(t, connection.Close())
		require.NoError(t, t.Context().Err())
	}
}
