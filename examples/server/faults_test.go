package main

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync/cognitotest"
)

// awsAt is the configuration of an SDK client for what -dynamodb serves.
func awsAt(url string) aws.Config {
	return aws.Config{Region: "us-east-1", BaseEndpoint: &url, Credentials: credentials.NewStaticCredentialsProvider("any", "any", "")}
}

// plant plants faults and returns a function that takes them away.
func (c client) plant(faults string) (lift func()) {
	c.t.Helper()
	c.expect(http.StatusOK, "POST", "/dev/faults", faults)
	return func() { c.expect(http.StatusOK, "POST", "/dev/faults", `{}`) }
}

func TestPlantedTableFaults(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, _ := c.newUser("ada@example.com")
	for _, fault := range []string{throttled, unavailable} {
		lift := c.plant(`{"dynamodb":"` + fault + `"}`)
		c.expect(http.StatusServiceUnavailable, "GET", "/readyz", "")
		ada.expect(http.StatusServiceUnavailable, "GET", "/v1/users/me", "")
		lift()
		c.expect(http.StatusOK, "GET", "/readyz", "")
		ada.expect(http.StatusOK, "GET", "/v1/users/me", "")
	}
}

func TestPlantedBusFaults(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	lift := c.plant(`{"events":"unavailable"}`)
	_, ada := c.newUser("ada@example.com")
	require.Empty(t, c.events(ada))
	lift()
	waitForEvents(t, c, ada, 1)
}

func TestPlantedSignUpFaults(t *testing.T) {
	t.Parallel()
	s := start(t, "-dynamodb", "127.0.0.1:0")
	c, at := newClient(t, s.api), awsAt(s.dynamodb)

	lift := c.plant(`{"signUps":"lost"}`)
	orphan, orphanID := c.newUser("orphan@example.com")
	lift()
	orphan.expect(http.StatusNotFound, "GET", "/v1/users/me", "")
	user, err := cognito.NewFromConfig(at).AdminGetUser(t.Context(), &cognito.AdminGetUserInput{
		UserPoolId: aws.String(cognitotest.PoolID), Username: &orphanID,
	})
	require.NoError(t, err)
	require.True(t, user.Enabled)

	lift = c.plant(`{"signUps":"queued"}`)
	late, lateID := c.newUser("late@example.com")
	lift()
	late.expect(http.StatusNotFound, "GET", "/v1/users/me", "")
	queue, url := sqs.NewFromConfig(at), aws.String(signUpQueue)
	out, err := queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: url})
	require.NoError(t, err)
	require.Len(t, out.Messages, 1)
	require.Contains(t, *out.Messages[0].Body, lateID)
	again, err := queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: url})
	require.NoError(t, err)
	require.Empty(t, again.Messages, "it is out of sight")
	_, err = queue.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: url, ReceiptHandle: out.Messages[0].ReceiptHandle})
	require.NoError(t, err)
}

func TestQueue(t *testing.T) {
	t.Parallel()
	var q queue
	for _, body := range []string{"a", "b"} {
		_, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{MessageBody: &body})
		require.NoError(t, err)
	}
	now := time.Now()
	first := q.receive(1, now)
	require.Equal(t, "a", first[0].Body)
	require.Equal(t, "b", q.receive(10, now)[0].Body)
	require.Empty(t, q.receive(10, now))
	q.remove(first[0].ReceiptHandle)
	again := q.receive(10, now.Add(visibilityTimeout))
	require.Len(t, again, 1)
	require.Equal(t, "b", again[0].Body)
	q.remove(first[0].ReceiptHandle)
	require.Len(t, q.receive(10, now.Add(2*visibilityTimeout)), 1, "an old receipt deletes nothing")
}

// TestPoolFollows: the pool hears of a suspension and of a new primary address through the events.
func TestPoolFollows(t *testing.T) {
	t.Parallel()
	s := start(t, "-dynamodb", "127.0.0.1:0")
	c := newClient(t, s.api)
	_, ada := c.newUser("ada@example.com")
	c.expect(http.StatusNoContent, "POST", "/dev/users/"+ada+"/suspend", `{"reason":"spam"}`)
	waitForEvents(t, c, ada, 2)
	pool := cognito.NewFromConfig(awsAt(s.dynamodb))
	get := &cognito.AdminGetUserInput{UserPoolId: aws.String(cognitotest.PoolID), Username: &ada}
	user, err := pool.AdminGetUser(t.Context(), get)
	require.NoError(t, err)
	require.False(t, user.Enabled)
	c.expect(http.StatusNoContent, "POST", "/dev/users/"+ada+"/reinstate", "")
	waitForEvents(t, c, ada, 3)
	user, err = pool.AdminGetUser(t.Context(), get)
	require.NoError(t, err)
	require.True(t, user.Enabled)
}

// TestPoolAfterRestart: the pool has a user for each account of the run before.
func TestPoolAfterRestart(t *testing.T) {
	t.Parallel()
	kept, _ := unpublished(t, filepath.Join(t.TempDir(), "data"), 2, 1)
	a, err := newApp(t.Context(), newCloud(kept.db), kept.keys, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for _, id := range []string{"u0", "u1"} {
		user, found := a.cloud.pool.Get(id)
		require.True(t, found)
		require.Equal(t, id+"@example.com", user.Email)
	}
}

func TestFaultsAreChecked(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	for _, body := range []string{`{"dynamodb":"slow"}`, `{"events":"lost"}`, `{"signUps":"rejected"}`, `{"mail":"lost"}`, `[]`} {
		c.expect(http.StatusBadRequest, "POST", "/dev/faults", body)
	}
	c.plant(`{"events":"rejected"}`)
	require.Equal(t, rejected, c.expect(http.StatusOK, "GET", "/dev/faults", "").text("events"))
}
