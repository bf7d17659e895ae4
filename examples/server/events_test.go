package main

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// seenEvent is what a test reads of an event.
type seenEvent struct {
	Source     string    `json:"source"`
	DetailType string    `json:"detail-type"`
	Time       time.Time `json:"time"`
	Detail     struct {
		UserID    string    `json:"userId"`
		Seq       int       `json:"seq"`
		EventID   string    `json:"eventId"`
		Timestamp time.Time `json:"timestamp"`
		Metadata  struct {
			CorrelationID string `json:"correlationId"`
			Environment   string `json:"environment"`
		} `json:"metadata"`
	} `json:"detail"`
}

// events are the events of a user that were published so far; of all users when userID is empty.
func (c client) events(userID string) []seenEvent {
	c.t.Helper()
	var events []seenEvent
	c.expect(http.StatusOK, "GET", "/dev/events?userId="+userID, "").into(&events)
	return events
}

// waitForEvents asks until there are n events, which the relay publishes in a moment, and no more than that.
func waitForEvents(t testing.TB, c client, userID string, n int) []seenEvent {
	t.Helper()
	events := c.events(userID)
	for deadline := time.Now().Add(time.Minute); len(events) < n && time.Now().Before(deadline); {
		<-time.After(time.Millisecond)
		events = c.events(userID)
	}
	require.Len(t, events, n)
	return events
}

// typesInOrder are the types of a user's events, which must be numbered without a gap.
func typesInOrder(t testing.TB, events []seenEvent) []string {
	t.Helper()
	types := []string{}
	for i, e := range events {
		require.Equal(t, i+1, e.Detail.Seq)
		types = append(types, e.DetailType)
	}
	return types
}

func TestEventsOfEachChange(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	_, otherID := c.newUser("grace@example.com")
	work := "/v1/users/me/emails/" + ada.addEmail("ada@work.example")
	ada.expect(http.StatusOK, "POST", work+"/verify/confirm", `{"code":"`+c.code("ada@work.example")+`"}`)
	ada.expect(http.StatusOK, "PUT", work+"/primary", "")
	home := ada.addEmail("ada@home.example")
	ada.expect(http.StatusNoContent, "DELETE", "/v1/users/me/emails/"+home, "")
	ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"Augusta"}`)
	c.expect(http.StatusNoContent, "POST", "/dev/users/"+userID+"/suspend", "")
	c.expect(http.StatusNoContent, "POST", "/dev/users/"+userID+"/reinstate", "")
	ada.expect(http.StatusOK, "DELETE", "/v1/users/me", "")

	want := []string{
		"user.created", "email.added", "email.verified", "email.primary.changed", "email.added", "email.removed", "user.updated",
		"user.suspended", "user.reactivated", "user.deleted",
	}
	events := waitForEvents(t, c, userID, len(want))
	assert.Equal(t, want, typesInOrder(t, events))
	for _, e := range events {
		assert.Equal(t, userID, e.Detail.UserID)
		assert.Equal(t, "user-service", e.Source)
		assert.Equal(t, "local", e.Detail.Metadata.Environment)
		assert.Equal(t, e.Detail.Timestamp, e.Time)
		assert.NotEmpty(t, e.Detail.EventID)
	}
	assert.Equal(t, []string{"user.created"}, typesInOrder(t, waitForEvents(t, c, otherID, 1)))
	waitForEvents(t, c, "", len(want)+1)
	assert.Equal(t, "[]", c.expect(http.StatusOK, "GET", "/dev/events?userId=nobody", "").body)
}

func TestEventsHaveTheRequestID(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	header := http.Header{"X-Request-Id": {"from-a-test"}, "Content-Type": {"application/json"}}
	require.Equal(t, http.StatusOK, ada.sendWith(header, "PUT", "/v1/users/me", `{"firstName":"Augusta"}`).status)
	events := waitForEvents(t, c, userID, 2)
	assert.Regexp(t, `^req-[A-Z2-7]+$`, events[0].Detail.Metadata.CorrelationID)
	assert.Equal(t, "from-a-test", events[1].Detail.Metadata.CorrelationID)
}

// TestNoEventsOfRefusals sends what is refused and what changes nothing, and a change at the end, which is published after all before it.
func TestNoEventsOfRefusals(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	work := "/v1/users/me/emails/" + ada.addEmail("ada@work.example")
	wrong := "000000"
	if c.code("ada@work.example") == wrong {
		wrong = "000001"
	}
	ada.expect(http.StatusBadRequest, "POST", work+"/verify/confirm", `{"code":"`+wrong+`"}`)
	ada.expect(http.StatusBadRequest, "PUT", work+"/primary", "")
	ada.expect(http.StatusConflict, "POST", "/v1/users/me/emails", `{"email":"ada@work.example"}`)
	ada.expect(http.StatusNotFound, "DELETE", "/v1/users/me/emails/none", "")
	ada.expect(http.StatusBadRequest, "PUT", "/v1/users/me", `{"firstName":"1"}`)
	ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"Ada"}`)
	ada.expect(http.StatusOK, "POST", work+"/verify", "")
	ada.with("").expect(http.StatusUnauthorized, "DELETE", "/v1/users/me", "")
	c.expect(http.StatusConflict, "POST", "/dev/users", `{"email":"ada@example.com"}`)
	c.expect(http.StatusNotFound, "POST", "/dev/users/nobody/suspend", "")
	c.expect(http.StatusNoContent, "POST", "/dev/users/"+userID+"/reinstate", "")
	ada.expect(http.StatusOK, "DELETE", "/v1/users/me", "")
	ada.expect(http.StatusForbidden, "PUT", "/v1/users/me", `{"firstName":"Augusta"}`)

	all := waitForEvents(t, c, "", 3)
	assert.Equal(t, []string{"user.created", "email.added", "user.deleted"}, typesInOrder(t, all))
}

// unpublished makes a service without a relay at work, and accounts with that many events each, which wait in its outbox.
func unpublished(t *testing.T, file string, accounts, events int) (*data, *app) {
	t.Helper()
	kept, err := openData(file)
	require.NoError(t, err)
	a, err := newApp(t.Context(), newCloud(kept.db), kept.keys, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for i := range accounts {
		id := fmt.Sprintf("u%d", i)
		_, err := a.users.Create(t.Context(), userstore.NewUser{UserID: id, Email: id + "@example.com", EmailVerified: true})
		require.NoError(t, err)
		for n := 1; n < events; n++ {
			_, err := a.users.Update(t.Context(), id, userstore.Changes{FirstName: new([]string{"Ada", "Augusta"}[n%2])})
			require.NoError(t, err)
		}
	}
	return kept, a
}

// TestStopPublishesWhatWaits ends the relay before it has begun.
func TestStopPublishesWhatWaits(t *testing.T) {
	t.Parallel()
	_, a := unpublished(t, "", 20, 3)
	require.Empty(t, a.events.of(""))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, a.publish(stopped))
	require.Len(t, a.events.of(""), 60)
	admin, err := outbox.NewAdmin(a.client, outbox.AdminConfig{Table: outbox.Table{Name: outboxName}})
	require.NoError(t, err)
	shards, err := admin.Depth(t.Context())
	require.NoError(t, err)
	for _, shard := range shards {
		assert.Zero(t, shard.Waiting)
	}
}

// TestEventsOutliveACrash saves a file while events wait, and starts two servers on copies of it: both publish them, as a server does that
// crashed after it had published and before it had saved that.
func TestEventsOutliveACrash(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "usercore.data")
	kept, _ := unpublished(t, file, 10, 4)
	require.NoError(t, kept.save())
	crashed, err := os.ReadFile(file)
	require.NoError(t, err)
	ids := [2]map[string]bool{{}, {}}
	for run := range ids {
		file := filepath.Join(t.TempDir(), "usercore.data")
		require.NoError(t, os.WriteFile(file, crashed, 0o600))
		c := newClient(t, start(t, "-data", file).api)
		for i := range 10 {
			events := waitForEvents(t, c, fmt.Sprintf("u%d", i), 4)
			assert.Equal(t, []string{"user.created", "user.updated", "user.updated", "user.updated"}, typesInOrder(t, events))
			for _, e := range events {
				ids[run][e.Detail.EventID] = true
			}
		}
	}
	assert.Len(t, ids[0], 40)
	assert.Equal(t, ids[0], ids[1], "a consumer knows an event that comes twice by its id")
}

// TestKill kills a server that has just published. The next takes its shards over and goes on with the number that follows.
func TestKill(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "usercore.data")
	self, err := os.Executable()
	require.NoError(t, err)
	process := exec.CommandContext(t.Context(), self, "-addr", "127.0.0.1:0", "-data", file)
	process.Env = append(os.Environ(), asServer+"=1")
	stdout, err := process.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, process.Start())
	ready, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	c := newClient(t, between(ready, "listening on ", "\n"))
	ada, userID := c.newUser("ada@example.com")
	waitForEvents(t, c, userID, 1)
	require.Eventually(t, func() bool {
		content, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(content), userID)
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, process.Process.Kill())
	require.Error(t, process.Wait(), "killed")

	ada = ada.at(start(t, "-data", file).api)
	ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"Augusta"}`)
	var last seenEvent
	require.Eventually(t, func() bool { // the first may come again
		events := ada.events(userID)
		if len(events) > 0 {
			last = events[len(events)-1]
		}
		return last.Detail.Seq == 2
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, "user.updated", last.DetailType)
}

func TestEventLogIsBounded(t *testing.T) {
	t.Parallel()
	keys, err := someKeys()
	require.NoError(t, err)
	a, err := assemble(newCloud(memdynamo.New(memdynamo.Options{})), keys, httpapi.Config{})
	require.NoError(t, err)
	log := a.events
	for i := range maxEvents + 1 {
		results, err := log.Publish(t.Context(), []outbox.Entry{{Event: outbox.Event{AggregateID: fmt.Sprint(i), Type: "user.created"}}})
		require.NoError(t, err)
		require.Equal(t, outbox.Published, results[0].Outcome)
	}
	all := log.of("")
	assert.Len(t, all, maxEvents)
	assert.Equal(t, "1", all[0].userID, "the oldest is gone")
	assert.LessOrEqual(t, cap(log.events), 2*maxEvents)

	results, err := log.Publish(t.Context(), []outbox.Entry{{Event: outbox.Event{Data: []byte("no object")}}})
	require.NoError(t, err)
	assert.Equal(t, outbox.Rejected, results[0].Outcome)
}
