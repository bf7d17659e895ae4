package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

var errNotFoundElsewhere = fmt.Errorf("a store of the authenticator: %w", userstore.ErrNotFound)

// failing stores return one error or panic, whatever they are asked.
type failingUsers struct{ fail func(context.Context) error }

func (u failingUsers) Get(ctx context.Context, _ string) (*userstore.User, error) {
	return nil, u.fail(ctx)
}

func (u failingUsers) Update(ctx context.Context, _ string, _ userstore.Changes, _ ...userstore.Option) (*userstore.User, error) {
	return nil, u.fail(ctx)
}

func (u failingUsers) Delete(ctx context.Context, _ string, _ ...userstore.Option) (*userstore.User, error) {
	return nil, u.fail(ctx)
}

type failingAddresses struct{ fail func(context.Context) error }

func (s failingAddresses) Profile(ctx context.Context, _ string) (*userstore.User, []emails.Email, error) {
	return nil, nil, s.fail(ctx)
}

func (s failingAddresses) Add(ctx context.Context, _, _ string, _ ...userstore.Option) (emails.Added, error) {
	return emails.Added{}, s.fail(ctx)
}

func (s failingAddresses) SendCode(ctx context.Context, _, _ string, _ ...userstore.Option) (emails.Sent, error) {
	return emails.Sent{}, s.fail(ctx)
}

func (s failingAddresses) Confirm(ctx context.Context, _, _, _ string, _ ...userstore.Option) (emails.Email, error) {
	return emails.Email{}, s.fail(ctx)
}

func (s failingAddresses) SetPrimary(ctx context.Context, _, _ string, _ ...userstore.Option) (emails.Email, error) {
	return emails.Email{}, s.fail(ctx)
}

func (s failingAddresses) Remove(ctx context.Context, _, _ string, _ ...userstore.Option) error {
	return s.fail(ctx)
}

func (s failingAddresses) SendQuota(ctx context.Context, _ string) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, s.fail(ctx)
}

// failing makes both stores fail.
func (f *fixture) failing(fail func(context.Context) error) {
	f.t.Helper()
	f.users, f.addresses = failingUsers{fail}, failingAddresses{fail}
	f.rebuild(nil)
}

func TestStoreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err        error
		status     int
		retryAfter string
	}{
		"contention":      {fmt.Errorf("op: %w after 9 tries: %w", userstore.ErrContention, context.DeadlineExceeded), http.StatusServiceUnavailable, "1"},
		"outcome_unknown": {fmt.Errorf("op: %w: %w", userstore.ErrOutcomeUnknown, errMail), http.StatusServiceUnavailable, "1"},
		"corrupt":         {fmt.Errorf("op: %w", userstore.ErrCorrupt), http.StatusInternalServerError, ""},
		"unknown":         {errMail, http.StatusInternalServerError, ""},
		"deadline":        {context.DeadlineExceeded, http.StatusServiceUnavailable, "1"},
		"gone":            {context.Canceled, http.StatusServiceUnavailable, "1"},
		"mail_for_any_cause": {
			fmt.Errorf("%w: %w", emails.ErrSend, userstore.ErrNotFound), http.StatusServiceUnavailable, "60",
		},
		"status": {userstore.ErrStatus, http.StatusInternalServerError, ""},
		"item":   {&userstore.ItemError{}, http.StatusInternalServerError, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.failing(func(context.Context) error { return c.err })
			for _, o := range operations("x") {
				a := f.call("john", o.method, o.path, o.body)
				require.Equal(t, c.status, a.status, o)
				require.Equal(t, c.retryAfter, a.header.Get("Retry-After"), o)
				require.Empty(t, a.fields())
				require.NotContains(t, string(a.body), "secret")
			}
		})
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var log bytes.Buffer
	f.cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil))
	f.failing(func(context.Context) error { panic("secret") })
	for _, o := range operations("x") {
		a := f.call("john", o.method, o.path, o.body)
		require.Equal(t, http.StatusInternalServerError, a.status, o)
		require.Equal(t, "Internal server error", a.text("message"), o)
	}
	for _, record := range lines(t, &log) {
		require.Equal(t, "ERROR", record["level"])
		require.Equal(t, "panic: a value of type string", record["error"], "it may quote anything")
		require.Contains(t, record["stack"], "faults_test.go")
	}
}

func TestAbortPassesThrough(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.failing(func(context.Context) error { panic(http.ErrAbortHandler) })
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { f.call("john", "GET", "/v1/users/me", "") })
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cfg.Timeout = time.Millisecond
	f.failing(func(ctx context.Context) error {
		<-ctx.Done()
		return fmt.Errorf("op: %w", ctx.Err())
	})
	for _, o := range operations("x") {
		require.Equal(t, http.StatusServiceUnavailable, f.call("john", o.method, o.path, o.body).status, o)
	}
}

// TestDeadlineOfAuthentication: the deadline is the request's as a whole.
func TestDeadlineOfAuthentication(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.cfg.Timeout = time.Millisecond
	handler, err := httpapi.New(f.users, f.addresses, authenticator(func(r *http.Request) (httpapi.Identity, error) {
		<-r.Context().Done()
		return httpapi.Identity{}, errors.New("gave up")
	}), f.cfg)
	require.NoError(t, err)
	f.handler = handler
	require.Equal(t, http.StatusServiceUnavailable, f.call("john", "GET", "/v1/users/me", "").status)
}

// TestDefaultDeadline: without a Timeout it is 10 s.
func TestDefaultDeadline(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var left time.Duration
	f.failing(func(ctx context.Context) error {
		deadline, ok := ctx.Deadline()
		require.True(t, ok)
		left = time.Until(deadline)
		return nil
	})
	f.call("john", "DELETE", emailPath("x"), "")
	require.Greater(t, left, 9*time.Second)
	require.LessOrEqual(t, left, 10*time.Second)
}

// localUsers is a store whose times are in a zone of its own.
type localUsers struct{ failingUsers }

func (localUsers) Get(context.Context, string) (*userstore.User, error) {
	at := time.Date(2026, 1, 15, 12, 30, 0, 999, time.FixedZone("local", 2*60*60))
	return &userstore.User{UserID: "john", Status: userstore.Active, Version: 1, CreatedAt: at, UpdatedAt: at}, nil
}

func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.users = localUsers{}
	f.rebuild(nil)
	require.Equal(t, "2026-01-15T10:30:00Z", f.call("john", "GET", "/v1/users/me", "").text("createdAt"))
}

// quotaFails is an emails.Store whose limiter or accounts cannot be read.
type quotaFails struct {
	httpapi.Addresses
	err     error
	noReads error
}

func (q quotaFails) Profile(ctx context.Context, userID string) (*userstore.User, []emails.Email, error) {
	if q.noReads != nil {
		return nil, nil, q.noReads
	}
	return q.Addresses.Profile(ctx, userID)
}

func (q quotaFails) SendQuota(context.Context, string) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, q.err
}

func TestQuotaFails(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]quotaFails{
		"error":   {err: errors.New("the context has ended")},
		"account": {err: errors.New("not asked"), noReads: errors.New("no answer")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.user("john", "john@example.com")
			q.Addresses = f.addresses
			f.addresses = q
			var log bytes.Buffer
			f.rebuild(func(cfg *httpapi.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
			a := f.call("john", "POST", "/v1/users/me/emails", `{"email":"a@example.com"}`)
			require.Equal(t, http.StatusCreated, a.status)
			require.NotEmpty(t, a.header.Get("Location"))
			require.Empty(t, a.header.Get("X-RateLimit-Limit"))
			sent := f.call("john", "POST", emailPath(a.text("emailId"))+"/verify", "")
			require.Equal(t, http.StatusOK, sent.status)
			require.Empty(t, sent.header.Get("X-RateLimit-Limit"))
			require.Equal(t, "WARN", lines(t, &log)[0]["level"])
		})
	}
}
