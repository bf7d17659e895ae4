package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkLag makes 200 changes a second, to 40 accounts, and measures for each the time from its answer, which follows the commit, until
// GET /dev/events has its event. The requests that ask are in the figures.
func BenchmarkLag(b *testing.B) {
	const accounts, rate = 40, 200
	c := newClient(b, start(b).api)
	c.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: accounts}} // checking answers takes longer than giving them
	defer c.http.CloseIdleConnections()
	turns := make(chan struct{})
	lags := make(chan time.Duration, b.N)
	var workers sync.WaitGroup
	for i := range accounts {
		user, userID := c.newUser(fmt.Sprintf("u%d@example.com", i))
		waitForEvents(b, c, userID, 1)
		workers.Go(func() {
			events := 1
			for range turns {
				name := map[bool]string{true: "Augusta", false: "Ada"}[events%2 == 1]
				user.send("PUT", "/v1/users/me", `{"firstName":"`+name+`"}`)
				events++
				committed := time.Now()
				for len(user.events(userID)) < events {
					<-time.After(time.Millisecond)
				}
				lags <- time.Since(committed)
			}
		})
	}
	tick := time.NewTicker(time.Second / rate)
	defer tick.Stop()
	b.ResetTimer()
	for range b.N {
		<-tick.C
		turns <- struct{}{}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "changes/s")
	close(turns)
	workers.Wait()
	close(lags)

	var sorted []time.Duration
	for lag := range lags {
		sorted = append(sorted, lag)
	}
	slices.Sort(sorted)
	b.ReportMetric(float64(sorted[len(sorted)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(sorted[len(sorted)*99/100].Microseconds())/1000, "p99-ms")
}
