package main

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWalkthrough takes the steps in Go.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t).api)
	variables := map[string]string{"me": "ada"}
	value := func(name string) string {
		require.Contains(t, variables, name)
		return variables[name]
	}
	want := []string{} // the types of the events so far
	for i, s := range walkthrough() {
		signed := c
		if s.signed {
			signed = c.with(value("token"))
		}
		r := signed.send(s.method, os.Expand(s.path, value), os.Expand(s.body, value))
		require.Less(t, r.status, http.StatusMultipleChoices, "%s: %s", s.title, r.body)
		if s.keep != "" {
			variables[s.keep] = stringIn(t, r.body, s.field)
		}
		if event, changes := eventsOfWalkthrough()[i]; changes {
			want = append(want, event)
		}
		events := waitForEvents(t, c, "", len(want))
		require.Equal(t, want, typesInOrder(t, events), s.title)
		if _, changes := eventsOfWalkthrough()[i]; changes {
			require.Equal(t, r.header.Get("X-Request-Id"), events[len(events)-1].Detail.Metadata.CorrelationID, s.title)
		}
	}
	require.Equal(t, "ada.work@example.com", c.with(value("token")).expect(http.StatusOK, "GET", "/v1/users/me", "").text("email"))
	require.Equal(t, 1, c.requireClean())
}

// eventsOfWalkthrough are the types of the events that steps have, by their number.
func eventsOfWalkthrough() map[int]string {
	return map[int]string{0: "user.created", 2: "email.added", 4: "email.verified", 5: "email.primary.changed"}
}

// stringIn is the one string field of that name in an object, or in the one object of an array.
func stringIn(t *testing.T, body, field string) string {
	t.Helper()
	objects := make([]map[string]any, 1)
	if strings.HasPrefix(body, "[") {
		require.NoError(t, json.Unmarshal([]byte(body), &objects))
		require.Len(t, objects, 1)
	} else {
		require.NoError(t, json.Unmarshal([]byte(body), &objects[0]))
	}
	text, isText := objects[0][field].(string)
	require.True(t, isText, "%s in %s", field, body)
	return text
}

// TestWalkthroughInBash pastes what the server printed into bash.
func TestWalkthroughInBash(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "sed"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("TestWalkthrough has taken the same steps in Go: ", err)
		}
	}
	s := start(t)
	_, pasted, _ := strings.Cut(s.output, "\n")
	bash := exec.Command("bash", "--noprofile", "--norc")
	bash.Stdin = strings.NewReader(pasted)
	output, err := bash.CombinedOutput()
	require.NoError(t, err, string(output))

	answers := strings.Split(strings.TrimSpace(string(output)), "\n")
	require.Len(t, answers, len(walkthrough()), "one line for each step: %s", output)
	for _, answer := range answers {
		assert.True(t, json.Valid([]byte(answer)), answer)
		assert.NotContains(t, answer, "statusCode")
	}
	assert.Regexp(t, `"email":"ada-[0-9]+\.work@example\.com","isPrimary":true`, answers[6])
	assert.JSONEq(t, `{"users":1,"emails":2,"claims":2,"violations":[]}`, answers[7])
	assert.Contains(t, answers[8], `"detail-type":"user.created"`)
}
