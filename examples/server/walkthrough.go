package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// step is one request of the walk-through. Path and body may have $variables.
type step struct {
	title  string
	method string
	path   string
	body   string // JSON; empty for none
	signed bool   // with the token
	// keep is a variable that a string field of the answer goes to; empty for none.
	keep, field string
}

// walkthrough is a tour of the API. Two variables are there at its start: api is the server's URL, and me begins every address.
func walkthrough() []step {
	const work = "$me.work@example.com"
	return []step{
		{
			title: "Create a user with a verified address, as a sign-up does.", method: http.MethodPost, path: "/dev/users",
			body: `{"email":"$me@example.com","firstName":"Ada","lastName":"Lovelace"}`, keep: "token", field: "accessToken",
		},
		{title: "See the profile.", method: http.MethodGet, path: "/v1/users/me", signed: true, keep: "userId", field: "userId"},
		{
			title: "Add an address; a code is mailed to it.", method: http.MethodPost, path: "/v1/users/me/emails", signed: true,
			body: `{"email":"` + work + `"}`, keep: "emailId", field: "emailId",
		},
		{title: "Read the code.", method: http.MethodGet, path: "/dev/mail?to=" + work, keep: "code", field: "code"},
		{
			title: "Confirm it.", method: http.MethodPost, path: "/v1/users/me/emails/$emailId/verify/confirm", signed: true,
			body: `{"code":"$code"}`,
		},
		{title: "Make the address the primary one.", method: http.MethodPut, path: "/v1/users/me/emails/$emailId/primary", signed: true},
		{title: "See both addresses.", method: http.MethodGet, path: "/v1/users/me/emails", signed: true},
		{title: "Check the invariants of all accounts.", method: http.MethodGet, path: "/dev/audit"},
		{title: "See the events that were published.", method: http.MethodGet, path: "/dev/events?userId=$userId"},
	}
}

// commands writes a walk-through as commands for bash that need curl and sed. They may be pasted again and again:
// the addresses are random.
func commands(api string, steps []step) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# Paste into bash; it takes curl and sed.\n\napi=%s me=ada-$RANDOM$RANDOM\n", api)
	for _, s := range steps {
		fmt.Fprintf(&text, "\n# %s\nanswer=$(%s); echo \"$answer\"\n", s.title, s.curl())
		if s.keep != "" {
			fmt.Fprintf(&text, "%s=$(echo \"$answer\" | sed 's/.*\"%s\":\"\\([^\"]*\\)\".*/\\1/')\n", s.keep, s.field)
		}
	}
	return text.String()
}

// curl is the step's request as a command.
func (s step) curl() string {
	command := `curl -sS`
	if s.method != http.MethodGet {
		command += ` -X ` + s.method
	}
	command += ` "$api` + s.path + `"`
	if s.signed {
		command += ` -H "Authorization: Bearer $token"`
	}
	if s.body != "" {
		// Single quotes keep the JSON readable; they end before a variable and go on behind it.
		body := os.Expand(s.body, func(name string) string { return `'$` + name + `'` })
		command += ` -H 'Content-Type: application/json' -d '` + body + `'`
	}
	return command
}
