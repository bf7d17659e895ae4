package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// seenEvent is what a test reads of an event.
type seenEvent struct {
	Source     string `json:"source"`
	DetailType string `json:"detail-type"`
	Detail     struct {
		UserID   string `json:"userId"`
		Seq      int    `json:"seq"`
		EventID  string `json:"eventId"`
		Metadata struct {
			CorrelationID string `json:"correlationId"`
			Environment   string `json:"environment"`
		} `json:"metadata"`
	} `json:"detail"`
}

// waitForEvents asks until a user has that many events; the relay needs a moment.
func waitForEvents(t testing.TB, c client, userID string, n int) []seenEvent {
	t.Helper()
	var events []seenEvent
	require.Eventually(t, func() bool {
		events = nil
		answer := c.expect(http.StatusOK, "GET", "/dev/events?userId="+userID, "")
		require.NoError(t, json.Unmarshal([]byte(answer.body), &events))
		return len(events) >= n
	}, 10*time.Second, 2*time.Millisecond)
	require.Len(t, events, n)
	return events
}

func TestEventsOfEachStep(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	ada, userID := c.newUser("ada@example.com")
	emailID := ada.addEmail("ada@work.example")
	ada.expect(http.StatusOK, "POST", "/v1/users/me/emails/"+emailID+"/verify/confirm", `{"code":"`+c.code("ada@work.example")+`"}`)
	ada.expect(http.StatusOK, "PUT", "/v1/users/me/emails/"+emailID+"/primary", "")
	ada.expect(http.StatusConflict, "POST", "/v1/users/me/emails", `{"email":"ada@work.example"}`)
	ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{}`)
	ada.expect(http.StatusOK, "DELETE", "/v1/users/me", "")

	events := waitForEvents(t, c, userID, 5)
	var types []string
	for i, e := range events {
		types = append(types, e.DetailType)
		require.Equal(t, i+1, e.Detail.Seq)
		require.Equal(t, userID, e.Detail.UserID)
		require.Equal(t, "user-service", e.Source)
		require.Equal(t, "local", e.Detail.Metadata.Environment)
		require.NotEmpty(t, e.Detail.Metadata.CorrelationID)
	}
	require.Equal(t, []string{"user.created", "email.added", "email.verified", "email.primary.changed", "user.deleted"}, types)
}

func TestEventsOutliveAKill(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/data"
	first := start(t, "-data", file)
	ada, userID := newClient(t, first.api).newUser("ada@example.com")
	ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"Augusta"}`)
	require.Equal(t, exitOK, first.stop(), "a stop publishes what waits and keeps the rest")
	second := newClient(t, start(t, "-data", file).api)
	second.with(ada.token).expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"Ada"}`)
	events := waitForEvents(t, second, userID, 1)
	require.Equal(t, 3, events[0].Detail.Seq, "numbers go on where they were")
}

// BenchmarkLag measures the time from the commit of a change to its publication while 200 changes come in a second.
func BenchmarkLag(b *testing.B) {
	c := newClient(b, start(b).api)
	ada, userID := c.newUser("ada@example.com")
	waitForEvents(b, c, userID, 1)
	lags := make([]time.Duration, 0, b.N)
	tick := time.NewTicker(time.Second / 200)
	defer tick.Stop()
	b.ResetTimer()
	for i := range b.N {
		<-tick.C
		name := []string{"Augusta", "Ada"}[i%2]
		ada.expect(http.StatusOK, "PUT", "/v1/users/me", `{"firstName":"`+name+`"}`)
		if i%20 == 0 { // a user of its own has a short list to look at
			_, probe := c.newUser(fmt.Sprintf("probe-%d@example.com", i))
			committed := time.Now()
			waitForEvents(b, c, probe, 1)
			lags = append(lags, time.Since(committed))
		}
	}
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(lags[len(lags)*99/100].Microseconds())/1000, "p99-ms")
}
