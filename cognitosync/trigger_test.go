package cognitosync_test

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

const (
	dana     = "7d1f0c52-90b1-4d0e-8a53-0f9f5f4c2a11"
	kim      = "c0ffee00-5b1d-4c7e-9f00-2b1a5d9e7f42"
	imported = "0b9c2a77-43f1-4c9d-b3de-77aa00bb11cc"
)

func (w *world) trigger(t testing.TB) *cognitosync.Trigger {
	t.Helper()
	trigger, err := cognitosync.NewTrigger(w.users, w.queue, cognitosync.TriggerConfig{
		QueueURL: "https://sqs.eu-west-1.amazonaws.com/1/dead", Logger: w.log.logger(),
	})
	require.NoError(t, err)
	return trigger
}

func (w *world) deadLetters(t testing.TB) *cognitosync.DeadLetters {
	t.Helper()
	letters, err := cognitosync.NewDeadLetters(w.users, w.log.logger())
	require.NoError(t, err)
	return letters
}

func TestTriggerMakesAccounts(t *testing.T) {
	t.Parallel()
	t.Run("confirmed_sign_up", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		event := read(t, "confirm_signup.json")
		answer, err := w.trigger(t).Handle(t.Context(), event)
		require.NoError(t, err)
		require.True(t, bytes.Equal(event, answer), "the answer is the event, byte for byte")
		user, err := w.users.Get(t.Context(), dana)
		require.NoError(t, err)
		require.Equal(t, "dana@example.com", user.Email)
		require.Equal(t, "Dana", user.FirstName)
		require.Equal(t, dana, user.Username)
	})
	t.Run("federated_with_an_unverified_address_and_an_odd_name", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		_, err := w.trigger(t).Handle(t.Context(), read(t, "confirm_federated.json"))
		require.NoError(t, err)
		user, err := w.users.Get(t.Context(), kim)
		require.NoError(t, err)
		require.Equal(t, "Google_112233445566778899001", user.Username)
		require.Empty(t, user.Email, "not verified, so not primary")
		require.Empty(t, user.FirstName, "the name is not one, which keeps nobody out")
	})
	t.Run("sign_in_of_a_user_without_account", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		event := read(t, "token_authentication.json")
		for range 2 {
			answer, err := w.trigger(t).Handle(t.Context(), event)
			require.NoError(t, err)
			require.Equal(t, event, answer)
		}
		user, err := w.users.Get(t.Context(), imported)
		require.NoError(t, err)
		require.Equal(t, "imported@example.com", user.Email)
	})
	t.Run("again_after_the_address_changed_or_the_account_was_deleted", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: dana, Email: "other@example.com", EmailVerified: true})
		require.NoError(t, err)
		_, err = w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		_, err = w.users.Delete(t.Context(), dana)
		require.NoError(t, err)
		_, err = w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		user, err := w.users.Get(t.Context(), dana)
		require.NoError(t, err)
		require.Equal(t, userstore.Deleted, user.Status)
		require.Empty(t, w.queue.bodies)
	})
}

func TestTriggerMakesNobody(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]json.RawMessage{
		"password_reset":     read(t, "confirm_forgot_password.json"),
		"client_credentials": read(t, "token_client_credentials.json"),
		"unknown_shape":      json.RawMessage(`{"triggerSource":"InboundFederation_ExternalProvider","userName":7,"request":{"userAttributes":[]}}`),
		"unknown_source":     json.RawMessage(`{"triggerSource":"PreSignUp_SignUp","request":{"userAttributes":{"sub":"s","email":"s@example.com"}}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cognitotest.Options{})
			answer, err := w.trigger(t).Handle(t.Context(), event)
			require.NoError(t, err)
			require.Equal(t, event, answer)
			require.Zero(t, w.accounts(t))
			require.Empty(t, w.queue.bodies)
		})
	}
	for name, event := range map[string]string{"no_json": "{", "no_source": `{"request":{}}`, "list": `[]`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cognitotest.Options{})
			_, err := w.trigger(t).Handle(t.Context(), json.RawMessage(event))
			require.ErrorIs(t, err, cognitosync.ErrBadEvent)
		})
	}
}

func TestTriggerInParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	trigger := w.trigger(t)
	event := read(t, "confirm_signup.json")
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() { _, errs[i] = trigger.Handle(t.Context(), event) })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Equal(t, 1, w.accounts(t))
	require.Empty(t, w.queue.bodies, "the loser finds the account of the winner")
	user, err := w.users.Get(t.Context(), dana)
	require.NoError(t, err)
	require.Equal(t, 1, user.EmailCount)
}

func TestTriggerWhileDynamoDBIsDown(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]func(*line, bool){
		"refusing": func(l *line, on bool) { l.down.Store(on) },
		"mute":     func(l *line, on bool) { l.mute.Store(on) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, cognitotest.Options{})
				event := read(t, "confirm_signup.json")
				cut(w.line, true)
				started := time.Now()
				answer, err := w.trigger(t).Handle(soon(t, time.Minute), event)
				require.NoError(t, err, "the sign-up succeeds")
				require.Equal(t, event, answer)
				require.Less(t, time.Since(started), 4600*time.Millisecond, "within the 5 s that Cognito waits")
				require.Len(t, w.queue.bodies, 1)
				cut(w.line, false)

				letters := w.deadLetters(t)
				for range 3 {
					answer, err := letters.Handle(t.Context(), batch(t, w.queue.bodies[0], w.queue.bodies[0]))
					require.NoError(t, err)
					require.JSONEq(t, `{"batchItemFailures":[]}`, string(answer))
				}
				require.Equal(t, 1, w.accounts(t), "once, however often it is delivered")
				user, err := w.users.Get(t.Context(), dana)
				require.NoError(t, err)
				require.Equal(t, "dana@example.com", user.Email)
				require.Equal(t, "Reyes", user.LastName)
			})
		})
	}
}

func TestTriggerDeadLetterGolden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{})
		w.line.mute.Store(true)
		_, err := w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		golden(t, "dead_letter.json", []byte(w.queue.bodies[0]+"\n"))
	})
}

func TestTriggerRecoversWithinItsBudget(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{})
		w.line.down.Store(true)
		time.AfterFunc(time.Second, func() { w.line.down.Store(false) })
		_, err := w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		require.Empty(t, w.queue.bodies)
		require.Equal(t, 1, w.accounts(t))
	})
}

func TestTriggerLeavesTimeForTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{})
		w.line.mute.Store(true)
		started := time.Now()
		_, err := w.trigger(t).Handle(soon(t, 2*time.Second), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(started), "the function's own timeout is shorter")
		require.Len(t, w.queue.bodies, 1)
	})
}

func TestTriggerWithNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, cognitotest.Options{})
		w.line.down.Store(true)
		w.queue.down = true
		started := time.Now()
		_, err := w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.Error(t, err)
		require.ErrorContains(t, err, "neither stored")
		require.Less(t, time.Since(started), 5*time.Second)
		record := w.log.last(t)
		for key, want := range map[string]string{
			"level": "ERROR", "outcome": "lost", "userId": dana, "userPoolId": cognitotest.PoolID, "region": "eu-west-1",
			"triggerSource": "PostConfirmation_ConfirmSignUp", "reason": "unavailable",
		} {
			require.Equal(t, want, record[key], key)
		}
		require.NotEmpty(t, record["error"])
		require.Contains(t, record["queueError"], "sqs: connection refused")
		require.NotContains(t, w.log.text(), "example.com", "no address in a log")

		// A sign-in is let through all the same.
		event := read(t, "token_authentication.json")
		answer, err := w.trigger(t).Handle(t.Context(), event)
		require.NoError(t, err)
		require.Equal(t, event, answer)
	})
}

func TestTriggerRefusals(t *testing.T) {
	t.Parallel()
	t.Run("address_of_somebody_else_is_queued", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "other", Email: "dana@example.com", EmailVerified: true})
		require.NoError(t, err)
		_, err = w.trigger(t).Handle(t.Context(), read(t, "confirm_signup.json"))
		require.NoError(t, err)
		require.Len(t, w.queue.bodies, 1)
		require.Contains(t, w.queue.bodies[0], `"reason":"address_taken"`)
		answer, err := w.deadLetters(t).Handle(t.Context(), batch(t, w.queue.bodies[0]))
		require.NoError(t, err)
		require.JSONEq(t, `{"batchItemFailures":[{"itemIdentifier":"m0"}]}`, string(answer))
	})
	t.Run("no_address_is_queued_for_a_person", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		event := json.RawMessage(`{"triggerSource":"PostConfirmation_ConfirmSignUp","userName":"x","request":{"userAttributes":{"sub":"s1","phone_number":"+15550100"}}}`)
		_, err := w.trigger(t).Handle(t.Context(), event)
		require.NoError(t, err)
		require.Contains(t, w.queue.bodies[0], `"reason":"invalid"`)
	})
	t.Run("sign_in_is_logged_and_not_queued", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "other", Email: "imported@example.com", EmailVerified: true})
		require.NoError(t, err)
		_, err = w.trigger(t).Handle(t.Context(), read(t, "token_authentication.json"))
		require.NoError(t, err)
		require.Empty(t, w.queue.bodies)
		require.Equal(t, "refused", w.log.last(t)["outcome"])
	})
}

func TestNewTriggerRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	const url = "https://sqs.eu-west-1.amazonaws.com/1/dead"
	for name, cfg := range map[string]cognitosync.TriggerConfig{
		"no_queue":      {},
		"fifo":          {QueueURL: url + ".fifo"},
		"beyond_5s":     {QueueURL: url, Budget: 5 * time.Second},
		"no_time":       {QueueURL: url, Budget: time.Millisecond},
		"negative_time": {QueueURL: url, Reserve: -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := cognitosync.NewTrigger(w.users, w.queue, cfg)
			require.ErrorContains(t, err, "TriggerConfig.")
		})
	}
	_, err := cognitosync.NewTrigger(nil, w.queue, cognitosync.TriggerConfig{QueueURL: url})
	require.Error(t, err)
}
