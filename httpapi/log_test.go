package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/userstore"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	var log bytes.Buffer
	f.rebuild(func(cfg *httpapi.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })

	f.call("john", "GET", emailPath(f.primary("john")), "")
	f.call("john", "PUT", "/v1/users/me", `{"firstName":""}`)
	f.call("", "GET", "/v1/nowhere/john@example.com", "")
	f.failing(func(context.Context) error { return errMail })
	f.call("john", "DELETE", "/v1/users/me", "")

	records := lines(t, &log)
	require.Len(t, records, 4)
	for _, record := range records {
		require.Equal(t, "request", record["msg"])
		require.Equal(t, fixedRequestID, record["requestId"])
		require.Contains(t, record, "duration")
	}
	require.Equal(t, "/v1/users/me/emails/{emailId}", records[0]["route"])
	require.Equal(t, "john", records[0]["userId"])
	require.Equal(t, float64(http.StatusOK), records[0]["status"])
	require.NotContains(t, records[0], "error")
	require.Contains(t, records[1]["error"], "firstName")
	require.NotContains(t, records[2], "route")
	require.Equal(t, "INFO", records[2]["level"])
	require.Equal(t, "ERROR", records[3]["level"])
}

// TestLevels: an alert on errors hears of faults only.
func TestLevels(t *testing.T) {
	t.Parallel()
	for level, cause := range map[string]error{
		"INFO":  fmt.Errorf("op: %w: %w", userstore.ErrOutcomeUnknown, context.Canceled),
		"WARN":  userstore.ErrContention,
		"ERROR": userstore.ErrCorrupt,
	} {
		f := newFixture(t)
		var log bytes.Buffer
		f.cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		f.failing(func(context.Context) error { return cause })
		f.call("john", "GET", "/v1/users/me", "")
		require.Equal(t, level, lines(t, &log)[0]["level"])
	}
}

// TestRequestIDReachesTheStores: it is the correlationId of the events of a change.
func TestRequestIDReachesTheStores(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var got string
	f.failing(func(ctx context.Context) error {
		got = account.RequestID(ctx)
		return errMail
	})
	for _, o := range operations("x") {
		got = ""
		f.call("john", o.method, o.path, o.body, "X-Request-Id", "from-the-client")
		require.Equal(t, "from-the-client", got, o)
	}
}

// TestRecordsHaveNoSecrets drives every route and error with text that must not show up in a record.
func TestRecordsHaveNoSecrets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.user("john", "john@example.com")
	var log bytes.Buffer
	f.rebuild(func(cfg *httpapi.Config) {
		cfg.Logger = slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	id := f.add("john", "secret.one@example.com")
	code := f.mail.code("secret.one@example.com")
	f.confirm(id, f.mail.wrong("secret.one@example.com"))
	f.confirm(id, code)
	f.mail.broken = true
	failed := f.call("john", "POST", "/v1/users/me/emails", `{"email":"secret.two@example.com"}`)
	f.call("john", "POST", emailPath(failed.text("emailId"))+"/verify", "")
	f.call("john", "POST", "/v1/users/me/emails", `{"email":"secret@@example.com"}`)
	f.call("john", "POST", "/v1/users/me/emails", `{"email":"john@example.com","secret.field@example.com":1}`)
	f.call("john", "PUT", "/v1/users/me", `{"firstName":"secret 7"}`)
	f.call("john@secret", "GET", "/v1/users/me", "")
	f.call("john", "GET", "/v1/users/me/emails/secret.id%40example.com", "")
	f.call("john", "GET", "/v1/users/me?secret=1", "", "X-Request-Id", "secret id")

	text := log.String()
	require.NotContains(t, text, "secret")
	require.NotContains(t, text, code)
	require.Contains(t, text, "the verification code was not sent")
	require.Contains(t, text, "an address was added, but its code was not sent")
	require.Contains(t, text, `"status":503`)
}
