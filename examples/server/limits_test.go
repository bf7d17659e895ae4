package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// limited is an answer of 429.
type limited struct {
	RetryAfter int    `json:"retryAfter"`
	Message    string `json:"message"`
}

// TestSendLimit asks for codes until no more are sent. The transport of the client checks that Retry-After is retryAfter.
func TestSendLimit(t *testing.T) {
	t.Parallel()
	c, _ := newClient(t, start(t).api).newUser("ada@example.com")
	added := c.expect(http.StatusCreated, "POST", "/v1/users/me/emails", `{"email":"ada.work@example.com"}`) // the first of three
	assert.Equal(t, "2", added.header.Get("X-RateLimit-Remaining"))
	verify := "/v1/users/me/emails/" + added.text("emailId") + "/verify"
	c.expect(http.StatusOK, "POST", verify, "")
	c.expect(http.StatusOK, "POST", verify, "")

	denied := c.expect(http.StatusTooManyRequests, "POST", verify, "")
	var body limited
	denied.into(&body)
	assert.InDelta(t, 3600, body.RetryAfter, 30)
	assert.Equal(t, "Verification limit reached. Try again in 60 minutes.", body.Message)
	assert.NotEmpty(t, denied.header.Get("Retry-After"))
	assert.Equal(t, "3", denied.header.Get("X-RateLimit-Limit"))
	assert.Equal(t, "0", denied.header.Get("X-RateLimit-Remaining"))
	assert.NotEmpty(t, denied.header.Get("X-RateLimit-Reset"))
}

// TestAttemptLimit tries wrong codes until none is compared, the right one neither.
func TestAttemptLimit(t *testing.T) {
	t.Parallel()
	c, _ := newClient(t, start(t).api).newUser("ada@example.com")
	confirm := "/v1/users/me/emails/" + c.addEmail("ada.work@example.com") + "/verify/confirm"
	right := c.code("ada.work@example.com")
	wrong := "000000"
	if right == wrong {
		wrong = "000001"
	}
	for range 5 {
		c.expect(http.StatusBadRequest, "POST", confirm, `{"code":"`+wrong+`"}`)
	}
	denied := c.expect(http.StatusTooManyRequests, "POST", confirm, `{"code":"`+right+`"}`)
	var body limited
	denied.into(&body)
	assert.InDelta(t, 900, body.RetryAfter, 30)
	assert.NotEmpty(t, denied.header.Get("Retry-After"))
}

// TestAddressLimit adds addresses until the account is full.
func TestAddressLimit(t *testing.T) {
	t.Parallel()
	c, _ := newClient(t, start(t).api).newUser("ada@example.com")
	for _, name := range []string{"b", "c", "d", "e"} {
		c.addEmail(name + "@example.com")
	}
	full := c.expect(http.StatusTooManyRequests, "POST", "/v1/users/me/emails", `{"email":"f@example.com"}`)
	assert.Empty(t, full.header.Get("Retry-After"), "waiting does not help")
	c.requireClean()
}
