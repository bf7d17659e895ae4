package usercore_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/ratelimit"
)

// services drives what stands around accounts and addresses: the user pool, the relay, limiters and HTTP.
type services struct {
	*suite.World
	seen *signals
}

// queue takes dead letters, or refuses them with err.
type queue struct{ err error }

func (q queue) SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	return &sqs.SendMessageOutput{}, q.err
}

// confirm is the event of a sign-up with an address. When somebody else has it, no account can be made.
func (s *services) confirm(t *testing.T, address string, to cognitosync.Queue) error {
	trigger, err := cognitosync.NewTrigger(s.Users, to, cognitosync.TriggerConfig{
		QueueURL: "https://queue.example/letters", Budget: 200 * time.Millisecond, Reserve: 200 * time.Millisecond,
		Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics,
	})
	require.NoError(t, err)
	_, err = trigger.Handle(t.Context(), json.RawMessage(`{"triggerSource":"PostConfirmation_ConfirmSignUp","userName":"u9","userPoolId":"p",
		"request":{"userAttributes":{"sub":"u9","email":"`+address+`","email_verified":"true","given_name":"`+markedName+`"}}}`))
	return err
}

// reconcile compares the table with a pool that has one user more.
func (s *services) reconcile(t *testing.T) {
	pool := cognitotest.New(cognitotest.Options{})
	long := time.Now().Add(-48 * time.Hour)
	pool.Put(cognitotest.User{Sub: "orphan", Email: "marker-orphan@example.com", EmailVerified: true, Created: long, Modified: long})
	reconciler, err := cognitosync.NewReconciler(pool.Client(), s.Users, cognitosync.ReconcileConfig{
		UserPoolID: cognitotest.PoolID, CallsPerSecond: 100, Segments: 1,
		Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics,
	})
	require.NoError(t, err)
	_, err = reconciler.Run(t.Context(), "")
	require.NoError(t, err)
}

// suspend suspends an account while Cognito does not answer.
func (s *services) suspend(t *testing.T) error {
	pool := cognitotest.New(cognitotest.Options{Intercept: func(cognitotest.Call) string { return "NotAuthorizedException" }})
	syncer, err := cognitosync.New(pool.Client(), s.Users, cognitosync.Config{
		UserPoolID: cognitotest.PoolID, Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics,
	})
	require.NoError(t, err)
	_, err = syncer.Suspend(t.Context(), "u1", markedReason)
	return err
}

// publisher answers each entry with one result, or each call with an error.
type publisher struct {
	result outbox.Result
	err    error
}

func (p publisher) Publish(_ context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	for i := range results {
		results[i] = p.result
	}
	return results, p.err
}

// relay publishes the events of the World's accounts once, and measures what is left.
func (s *services) relay(t *testing.T, to outbox.Publisher) error {
	where := outbox.Table{Name: s.Config.Table}
	relay, err := outbox.NewRelay(s.Plain(), to, outbox.RelayConfig{
		Table:      where,
		Publishing: outbox.Publishing{Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics},
	})
	require.NoError(t, err)
	failed := relay.RunOnce(t.Context())
	admin, err := outbox.NewAdmin(s.Plain(), outbox.AdminConfig{Table: where, MeterProvider: s.seen.metrics})
	require.NoError(t, err)
	_, err = admin.Depth(t.Context())
	require.NoError(t, err)
	return failed
}

// limit uses more units of a marked key than there are.
func (s *services) limit(t *testing.T, client ratelimit.Client) ratelimit.Decision {
	limiter, err := ratelimit.NewFixedWindow(client, ratelimit.FixedConfig{
		Table: ratelimit.Table{Name: s.Config.Table}, Limit: 1, Window: time.Hour, Now: s.Clock.Now,
		Telemetry: ratelimit.Telemetry{
			Name: "login", Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics,
		},
	})
	require.NoError(t, err)
	_, err = limiter.Allow(t.Context(), markedAddress)
	require.NoError(t, err)
	decision, err := limiter.Allow(t.Context(), markedAddress)
	require.NoError(t, err)
	return decision
}

// authenticator answers every request alike.
type authenticator struct {
	identity httpapi.Identity
	err      error
}

func (a authenticator) Authenticate(*http.Request) (httpapi.Identity, error) {
	return a.identity, a.err
}

// request asks for the profile, and returns the status.
func (s *services) request(t *testing.T, as authenticator) int {
	handler, err := httpapi.New(s.Users, s.Emails, as, httpapi.Config{
		Logger: s.seen.logger(), TracerProvider: s.seen.tracing, MeterProvider: s.seen.metrics,
	})
	require.NoError(t, err)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/users/me", nil)
	request.Header.Set("Authorization", "Bearer marker-token")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer.Code
}

// TestFailureTableOfServices drives the rows of the failure table that user pool, bus, limiters and HTTP meet, and sees the record and the
// metric of each.
func TestFailureTableOfServices(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		drive  func(t *testing.T, s *services)
		record []string // parts of the log
		metric string
		with   []string
	}{
		"cognito_trigger_fails": {
			drive:  func(t *testing.T, s *services) { require.NoError(t, s.confirm(t, "u1@example.com", queue{})) },
			record: []string{`"level":"WARN"`, `"outcome":"queued"`, `"userId":"u9"`},
			metric: "usercore.cognito.sync_failures", with: []string{"operation=cognitosync.trigger", "outcome=queued"},
		},
		"cognito_trigger_and_queue_fail": {
			drive: func(t *testing.T, s *services) {
				require.Error(t, s.confirm(t, "u1@example.com", queue{err: errors.New("down")}))
			},
			record: []string{`"level":"ERROR"`, `"outcome":"lost"`},
			metric: "usercore.cognito.sync_failures", with: []string{"operation=cognitosync.trigger", "outcome=lost"},
		},
		"orphans_are_found": {
			drive:  func(t *testing.T, s *services) { s.reconcile(t) },
			record: []string{`"msg":"drift"`, `"class":"pool_only"`, `"userId":"orphan"`},
			metric: "usercore.cognito.drifts", with: []string{"class=pool_only", "outcome=reported"},
		},
		"cognito_is_unavailable": {
			drive:  func(t *testing.T, s *services) { require.ErrorIs(t, s.suspend(t), cognitosync.ErrPending) },
			record: []string{`"level":"WARN"`, `"operation":"cognitosync.suspend","outcome":"pending"`},
			metric: "usercore.cognito.sync_failures", with: []string{"operation=cognitosync.suspend", "outcome=pending"},
		},
		"signing_keys_are_unavailable": {
			drive: func(t *testing.T, s *services) {
				require.Equal(t, 503, s.request(t, authenticator{err: &httpapi.UnavailableError{Err: errors.New("no keys")}}))
			},
			record: []string{`"level":"WARN"`, `"status":503`},
			metric: "http.server.request.duration", with: []string{"http.response.status_code=503"},
		},
		"invalid_token": {
			drive: func(t *testing.T, s *services) {
				require.Equal(t, 401, s.request(t, authenticator{err: httpapi.ErrUnauthenticated}))
			},
			record: []string{`"level":"INFO"`, `"status":401`},
			metric: "http.server.request.duration", with: []string{"http.response.status_code=401", "http.route=/v1/users/me"},
		},
		"eventbridge_rejects_an_event": {
			drive: func(t *testing.T, s *services) {
				require.NoError(t, s.relay(t, publisher{result: outbox.Result{Outcome: outbox.Rejected, Code: "TooLarge"}}))
				require.EqualValues(t, 1, s.seen.count(t, "usercore.outbox.failures", "code=TooLarge"))
				require.EqualValues(t, 1, s.seen.count(t, "usercore.outbox.depth", "state=dead"))
			},
			record: []string{`"level":"ERROR"`, "event moved to the dead letters"},
			metric: "usercore.outbox.dead_letters", with: []string{"policy=dead_letter"},
		},
		"events_are_published": {
			drive: func(t *testing.T, s *services) {
				require.NoError(t, s.relay(t, publisher{result: outbox.Result{Outcome: outbox.Published}}))
				require.Zero(t, s.seen.count(t, "usercore.outbox.depth"))
				require.EqualValues(t, 1, s.seen.count(t, "usercore.outbox.delay"))
			},
			metric: "usercore.outbox.published",
		},
		"rate_limit_is_exceeded": {
			drive:  func(t *testing.T, s *services) { require.False(t, s.limit(t, s.Plain()).Allowed) },
			record: []string{`"level":"INFO"`, `"operation":"ratelimit.allow","outcome":"denied"`},
			metric: "usercore.ratelimit.decisions", with: []string{"limiter=login", "outcome=denied"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &services{seen: newSignals()}
			s.World = suite.New(t, suite.WithUsers(s.seen.observe), suite.WithAttempts(1))
			s.User(t, "u1")
			require.Zero(t, s.seen.count(t, row.metric, row.with...))

			row.drive(t, s)

			require.EqualValues(t, 1, s.seen.count(t, row.metric, row.with...))
			told := s.seen.log()
			for _, part := range row.record {
				require.Contains(t, told, part)
			}
			require.False(t, strings.Contains(s.seen.text(t), "marker-"))
		})
	}
}
