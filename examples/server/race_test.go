package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const racers = 200

// tally counts answers by status.
type tally struct {
	mu     sync.Mutex
	counts map[int]int
}

func (c *tally) add(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[int]int{}
	}
	c.counts[status]++
}

// TestRaceToSignUp has clients ask for accounts with one address.
func TestRaceToSignUp(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	var statuses tally
	atOnce(racers, func(int) {
		statuses.add(c.send("POST", "/dev/users", `{"email":"one@example.com"}`).status)
	})
	assert.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: racers - 1}, statuses.counts)
	require.Equal(t, 1, c.requireClean())
}

// TestRaceToAdd has as many accounts add one address. One gets it and the mail, the others learn that it is not available.
func TestRaceToAdd(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	accounts := make([]client, racers)
	for i := range accounts {
		accounts[i], _ = c.newUser(fmt.Sprintf("user%d@example.com", i))
	}
	var statuses tally
	atOnce(racers, func(i int) {
		statuses.add(accounts[i].send("POST", "/v1/users/me/emails", `{"email":"one@example.com"}`).status)
	})
	assert.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusConflict: racers - 1}, statuses.counts)
	var mails []mail
	c.expect(http.StatusOK, "GET", "/dev/mail?to=one@example.com", "").into(&mails)
	assert.Len(t, mails, 1)
	require.Equal(t, racers, c.requireClean())
}

// TestRaceToUpdate has clients with one version of the profile change it. One does, the others are told to read again.
func TestRaceToUpdate(t *testing.T) {
	t.Parallel()
	c, _ := newClient(t, start(t).api).newUser("ada@example.com")
	version := c.expect(http.StatusOK, "GET", "/v1/users/me", "").header.Get("ETag")
	var statuses tally
	atOnce(racers, func(i int) {
		header := http.Header{"If-Match": {version}, "Content-Type": {"application/json"}}
		statuses.add(c.sendWith(header, "PUT", "/v1/users/me", fmt.Sprintf(`{"phone":"+1415555%04d"}`, i)).status)
	})
	assert.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: racers - 1}, statuses.counts)
	c.requireClean()
}
