package integration_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFunctions runs every function as Lambda does: built, behind the runtime interface emulator, with settings from the environment. With -v it
// prints what a cold start and a warm request take.
func TestFunctions(t *testing.T) {
	t.Parallel()
	b := build(t, emulator(t), "./server", "./lambda/api", "./lambda/postconfirmation", "./lambda/signupdeadletters", "./lambda/outboxpoller",
		"./lambda/outboxstream", "./lambda/cognitoevents", "./lambda/reconciler", "./lambda/purgesweeper")
	for name, test := range map[string]func(*testing.T, binaries){
		"api":               testAPI,
		"api_and_server":    testSameAnswers,
		"postconfirmation":  testPostConfirmation,
		"signupdeadletters": testSignupDeadLetters,
		"outboxpoller":      testOutboxPoller,
		"outboxstream":      testOutboxStream,
		"cognitoevents":     testCognitoEvents,
		"reconciler":        testReconciler,
		"purgesweeper":      testPurgeSweeper,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, b)
		})
	}
}

// testAPI asks for one user in every shape of event, with a token that the function verifies.
func testAPI(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	issuer := newIssuer(t)
	api := startFunction(t, b, "api", w.env(map[string]string{
		"USERCORE_ISSUER": issuer.url, "USERCORE_CLIENT_ID": "web", "USERCORE_MAIL_FROM": "accounts@example.com",
		"USERCORE_CODE_SECRET":  "1:" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"USERCORE_STATUS_CHECK": "every-request",
	}))
	user := question{method: "GET", path: "/v1/users/me", header: map[string]string{"Authorization": "Bearer " + issuer.token("ada")}}
	bodies := map[string]string{}
	began := time.Now()
	for _, shape := range []string{"rest", "http", "url"} {
		event := user.event(t, shape)
		var answer struct {
			StatusCode int
			Body       string
		}
		require.NoError(t, json.Unmarshal([]byte(api.invoke(event)), &answer))
		require.Equal(t, 200, answer.StatusCode, answer.Body)
		assert.Contains(t, answer.Body, `"email":"ada@example.com"`)
		bodies[shape] = answer.Body
		if shape == "rest" {
			t.Logf("cold start and first request: %s", time.Since(began))
		}
	}
	assert.Equal(t, bodies["rest"], bodies["http"])
	assert.Equal(t, bodies["rest"], bodies["url"])

	const calls = 50
	event := user.event(t, "http")
	began = time.Now()
	for range calls {
		api.invoke(event)
	}
	t.Logf("warm request: %s", time.Since(began)/calls)
	assert.Contains(t, api.invoke(`{"Records":[]}`), `"errorMessage":"gateway: not an event`)
}

func testPostConfirmation(t *testing.T, b binaries) {
	w := newWorld(t)
	trigger := startFunction(t, b, "postconfirmation", w.env(map[string]string{"USERCORE_SIGNUP_QUEUE_URL": w.aws.URL + "/1/signups"}))
	const event = `{"version": "1", "triggerSource": "PostConfirmation_ConfirmSignUp", "region": "us-east-1", "userPoolId": "us-east-1_Pool",
		"userName": "eve", "callerContext": {"awsSdkVersion": "1", "clientId": "web"},
		"request": {"userAttributes": {"sub": "eve", "email": "eve@example.com", "email_verified": "true"}}, "response": {}}`
	assert.Equal(t, event, trigger.invoke(event), "the event comes back byte for byte")
	assert.Equal(t, "eve@example.com", w.get("eve").Email)
	assert.Equal(t, event, trigger.invoke(event), "again")
}

func testSignupDeadLetters(t *testing.T, b binaries) {
	w := newWorld(t)
	letters := startFunction(t, b, "signupdeadletters", w.env(nil))
	good := `{"type":"CREATE_USER_RECORD","payload":{"sub":"eve","email":"eve@example.com","emailVerified":true}}`
	answer := letters.invoke(sqsEvent(t, good, `{"type":"OTHER"}`))
	assert.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m2"}]}`, answer)
	assert.Equal(t, "eve@example.com", w.get("eve").Email)
}

func sqsEvent(t *testing.T, bodies ...string) string {
	t.Helper()
	type record struct {
		MessageID string `json:"messageId"`
		Body      string `json:"body"`
	}
	var records []record
	for i, body := range bodies {
		records = append(records, record{fmt.Sprintf("m%d", i+1), body})
	}
	text, err := json.Marshal(map[string]any{"Records": records})
	require.NoError(t, err)
	return string(text)
}

func testOutboxPoller(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada", "bob")
	poller := startFunction(t, b, "outboxpoller", w.env(map[string]string{"USERCORE_EVENT_BUS": "users"}))
	schedule := `{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`
	first := poller.invoke(schedule)
	assert.Contains(t, first, `"failedCalls":0,"deadLettered":0,"held":0,"malformed":0}`)
	assert.JSONEq(t, `{"published":0,"failedCalls":0,"deadLettered":0,"held":0,"malformed":0}`, poller.invoke(schedule), "nothing is left")
	assert.Equal(t, 2, strings.Count(w.aws.text("PutEvents"), "user.created"))
}

func testOutboxStream(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	stream := startFunction(t, b, "outboxstream", w.env(map[string]string{"USERCORE_EVENT_BUS": "users"}))
	assert.JSONEq(t, `{"batchItemFailures":[]}`, stream.invoke(w.streamEvent()))
	assert.Equal(t, 1, strings.Count(w.aws.text("PutEvents"), "user.created"))
	assert.JSONEq(t, `{"batchItemFailures":[]}`, stream.invoke(w.streamEvent()), "nothing is left")
}

func testCognitoEvents(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	_, err := w.users.Suspend(t.Context(), "ada", "")
	require.NoError(t, err)
	events := startFunction(t, b, "cognitoevents", w.env(map[string]string{"USERCORE_USER_POOL_ID": "us-east-1_Pool"}))
	answer := events.invoke(sqsEvent(t, `{"detail-type":"user.suspended","detail":{"userId":"ada"}}`, `{`))
	assert.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m2"}]}`, answer)
	assert.Contains(t, w.aws.text("AdminDisableUser"), `"ada"`)
	assert.Contains(t, w.aws.text("AdminUserGlobalSignOut"), `"ada"`)
}

func testReconciler(t *testing.T, b binaries) {
	w := newWorld(t)
	reconciler := startFunction(t, b, "reconciler", w.env(map[string]string{
		"USERCORE_USER_POOL_ID": "us-east-1_Pool", "USERCORE_REPAIR": "pool_only, still_enabled",
	}))
	answer := reconciler.invoke(`{}`)
	assert.Contains(t, answer, `"complete":true`)
	assert.Contains(t, answer, `"class":"pool_only","userId":"zoe","outcome":"repaired"`)
	assert.Equal(t, "zoe@example.com", w.get("zoe").Email)
	assert.Contains(t, reconciler.invoke(`{"token":"damaged"}`), "errorMessage")
}

func testPurgeSweeper(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada", "bob")
	w.deleteLongAgo("old")
	_, err := w.users.Delete(t.Context(), "bob") // stays: it can still be restored
	require.NoError(t, err)
	sweeper := startFunction(t, b, "purgesweeper", w.env(nil))
	assert.JSONEq(t, `{"purged":1,"lapsed":0,"failed":0,"complete":true}`, sweeper.invoke(`{}`))
	assert.JSONEq(t, `{"purged":0,"lapsed":0,"failed":0,"complete":true}`, sweeper.invoke(`{}`))
	assert.Equal(t, "deleted", string(w.get("bob").Status))
	assert.NotEmpty(t, w.get("bob").PurgeAfter)
}
