package lambda_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFunctions runs every function as Lambda does: built, behind the runtime interface emulator, with settings from the environment.
func TestFunctions(t *testing.T) {
	t.Parallel()
	b := buildAll(t)
	for name, test := range map[string]func(*testing.T, binaries){
		"settings":          testSettings,
		"template":          testTemplate,
		"api":               testAPI,
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

// testSettings starts every function with nothing set, and some with what contradicts itself.
func testSettings(t *testing.T, b binaries) {
	for name, missing := range map[string][]string{
		"api": {
			"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE", "USERCORE_CLIENT_ID", "USERCORE_USER_POOL_ID", "USERCORE_CODE_SECRET", "USERCORE_MAIL_FROM",
		},
		"postconfirmation":  {"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE", "USERCORE_SIGNUP_QUEUE_URL"},
		"signupdeadletters": {"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE"},
		"outboxpoller":      {"USERCORE_OUTBOX_TABLE", "USERCORE_EVENT_BUS"},
		"outboxstream":      {"USERCORE_OUTBOX_TABLE", "USERCORE_EVENT_BUS"},
		"cognitoevents":     {"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE", "USERCORE_USER_POOL_ID"},
		"reconciler":        {"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE", "USERCORE_USER_POOL_ID"},
		"purgesweeper":      {"USERCORE_TABLE", "USERCORE_OUTBOX_TABLE"},
	} {
		for i := range missing {
			missing[i] += ": is not set"
		}
		wrongSettings(t, b, name, nil, missing...)
	}
	wrongSettings(t, b, "purgesweeper", map[string]string{"USERCORE_TABLE": "t", "USERCORE_OUTBOX_TABLE": "t", "USERCORE_NO_OUTBOX": "true"},
		"USERCORE_NO_OUTBOX: contradicts USERCORE_OUTBOX_TABLE")
	wrongSettings(t, b, "purgesweeper", map[string]string{"USERCORE_TABLE": "t", "USERCORE_NO_OUTBOX": "true", "USERCORE_MAX_EMAILS": "many"},
		"USERCORE_MAX_EMAILS: \\\"many\\\" is not a whole number")
	wrongSettings(t, b, "purgesweeper", map[string]string{"USERCORE_TABLE": "t", "USERCORE_NO_OUTBOX": "true", "USERCORE_MAX_EMAILS": "31"},
		"MaxEmails")
	wrongSettings(t, b, "api", map[string]string{
		"USERCORE_USER_POOL_ID": "eu-west-1_AbCdEf123", "USERCORE_ISSUER": "https://issuer.invalid", "USERCORE_CODE_SECRET": "1:short!",
		"USERCORE_CLIENT_ID": "web", "USERCORE_STATUS_CHECK": "sometimes",
	}, "USERCORE_USER_POOL_ID: contradicts USERCORE_ISSUER", "USERCORE_CODE_SECRET: entry 1", "USERCORE_STATUS_CHECK")
	wrongSettings(t, b, "api", map[string]string{"USERCORE_AUTH": "none"}, "USERCORE_AUTH: \\\"none\\\" is neither token nor gateway")
}

// testAPI asks for one user in every shape of event, with a token that the function verifies.
func testAPI(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	issuer := newIssuer(t)
	api := start(t, b, "api", w.env(map[string]string{
		"USERCORE_ISSUER": issuer.url, "USERCORE_CLIENT_ID": "web", "USERCORE_MAIL_FROM": "accounts@example.com",
		"USERCORE_CODE_SECRET":  "1:" + base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"USERCORE_STATUS_CHECK": "every-request",
	}))
	token := issuer.token("ada")
	bodies := map[string]string{}
	began := time.Now()
	for _, shape := range []string{"rest", "http", "url"} {
		event := withToken(t, shape, token)
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
	event := withToken(t, "http", token)
	began = time.Now()
	for range calls {
		api.invoke(event)
	}
	t.Logf("warm request: %s", time.Since(began)/calls)
	assert.Contains(t, api.invoke(`{"Records":[]}`), `"errorMessage":"gateway: not an event`)
}

// withToken is an event of package gateway's test data with a token in it.
func withToken(t *testing.T, shape, token string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("gateway", "testdata", shape+".json"))
	require.NoError(t, err)
	var event map[string]any
	require.NoError(t, json.Unmarshal(text, &event))
	event["headers"].(map[string]any)["authorization"] = "Bearer " + token
	if multi, has := event["multiValueHeaders"].(map[string]any); has {
		multi["authorization"] = []string{"Bearer " + token}
	}
	text, err = json.Marshal(event)
	require.NoError(t, err)
	return string(text)
}

func testPostConfirmation(t *testing.T, b binaries) {
	w := newWorld(t)
	trigger := start(t, b, "postconfirmation", w.env(map[string]string{"USERCORE_SIGNUP_QUEUE_URL": w.aws.URL + "/1/signups"}))
	const event = `{"version": "1", "triggerSource": "PostConfirmation_ConfirmSignUp", "region": "us-east-1", "userPoolId": "us-east-1_Pool",
		"userName": "eve", "callerContext": {"awsSdkVersion": "1", "clientId": "web"},
		"request": {"userAttributes": {"sub": "eve", "email": "eve@example.com", "email_verified": "true"}}, "response": {}}`
	assert.Equal(t, event, trigger.invoke(event), "the event comes back byte for byte")
	assert.Equal(t, "eve@example.com", w.get("eve").Email)
	assert.Equal(t, event, trigger.invoke(event), "again")
}

func testSignupDeadLetters(t *testing.T, b binaries) {
	w := newWorld(t)
	letters := start(t, b, "signupdeadletters", w.env(nil))
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
	poller := start(t, b, "outboxpoller", w.env(map[string]string{"USERCORE_EVENT_BUS": "users"}))
	schedule := `{"version":"0","detail-type":"Scheduled Event","source":"aws.events","detail":{}}`
	first := poller.invoke(schedule)
	assert.Contains(t, first, `"failedCalls":0,"deadLettered":0,"held":0,"malformed":0}`)
	assert.JSONEq(t, `{"published":0,"failedCalls":0,"deadLettered":0,"held":0,"malformed":0}`, poller.invoke(schedule), "nothing is left")
	assert.Equal(t, 2, strings.Count(w.aws.text("PutEvents"), "user.created"))
}

func testOutboxStream(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	stream := start(t, b, "outboxstream", w.env(map[string]string{"USERCORE_EVENT_BUS": "users"}))
	assert.JSONEq(t, `{"batchItemFailures":[]}`, stream.invoke(w.streamEvent()))
	assert.Equal(t, 1, strings.Count(w.aws.text("PutEvents"), "user.created"))
	assert.JSONEq(t, `{"batchItemFailures":[]}`, stream.invoke(w.streamEvent()), "nothing is left")
}

func testCognitoEvents(t *testing.T, b binaries) {
	w := newWorld(t)
	w.create("ada")
	_, err := w.users.Suspend(t.Context(), "ada", "")
	require.NoError(t, err)
	events := start(t, b, "cognitoevents", w.env(map[string]string{"USERCORE_USER_POOL_ID": "us-east-1_Pool"}))
	answer := events.invoke(sqsEvent(t, `{"detail-type":"user.suspended","detail":{"userId":"ada"}}`, `{`))
	assert.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m2"}]}`, answer)
	assert.Contains(t, w.aws.text("AdminDisableUser"), `"ada"`)
	assert.Contains(t, w.aws.text("AdminUserGlobalSignOut"), `"ada"`)
}

func testReconciler(t *testing.T, b binaries) {
	w := newWorld(t)
	reconciler := start(t, b, "reconciler", w.env(map[string]string{
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
	sweeper := start(t, b, "purgesweeper", w.env(nil))
	assert.JSONEq(t, `{"purged":1,"failed":0,"complete":true}`, sweeper.invoke(`{}`))
	assert.JSONEq(t, `{"purged":0,"failed":0,"complete":true}`, sweeper.invoke(`{}`))
	assert.Equal(t, "deleted", string(w.get("bob").Status))
	assert.NotEmpty(t, w.get("bob").PurgeAfter)
}
