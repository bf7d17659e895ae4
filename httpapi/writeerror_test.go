package httpapi_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

func TestWriteError(t *testing.T) {
	t.Parallel()
	limited := &emails.LimitError{Decision: ratelimit.Decision{Limit: 3, RetryAfter: 90 * time.Second}}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"of_the_store": {
			err:  fmt.Errorf("import: %w", userstore.ErrTaken),
			want: `{"statusCode":409,"error":"Conflict","message":"Email address is not available","requestId":"req-abc-123"}`,
		},
		"of_a_field": {
			err: &httpapi.Error{
				Status: http.StatusBadRequest, Message: "Invalid request body",
				Details: []userstore.FieldError{{Field: "rate", Message: "must be a number"}},
			},
			want: `{"statusCode":400,"error":"Bad Request","message":"Invalid request body",` +
				`"details":[{"field":"rate","message":"must be a number"}],"requestId":"req-abc-123"}`,
		},
		"of_an_id_in_the_body": {
			err: &userstore.ValidationError{Fields: []userstore.FieldError{{Field: "userId", Message: "is not one"}}},
			want: `{"statusCode":400,"error":"Bad Request","message":"Invalid request body",` +
				`"details":[{"field":"userId","message":"is not one"}],"requestId":"req-abc-123"}`,
		},
		"to_be_tried_again": {
			err: fmt.Errorf("health: %w", &httpapi.Error{
				Status: http.StatusServiceUnavailable, Message: "Not ready", RetryAfter: 1500 * time.Millisecond, Err: limited,
			}),
			want: `{"statusCode":503,"error":"Service Unavailable","message":"Not ready","retryAfter":2,"requestId":"req-abc-123"}`,
		},
		"limited": {
			err: limited,
			want: `{"statusCode":429,"error":"Too Many Requests","message":"Verification limit reached. Try again in 2 minutes.",` +
				`"retryAfter":90,"requestId":"req-abc-123"}`,
		},
		"unknown": {
			err:  errors.New("dial tcp 10.0.0.1"),
			want: `{"statusCode":500,"error":"Internal Server Error","message":"Internal server error","requestId":"req-abc-123"}`,
		},
		"no_status": {
			err:  &httpapi.Error{Status: http.StatusOK, Message: "fine", Err: userstore.ErrNotFound},
			want: `{"statusCode":404,"error":"Not Found","message":"User not found","requestId":"req-abc-123"}`,
		},
		"not_allowed_in": {
			err:  &httpapi.Error{Status: http.StatusUnauthorized, Message: "No key"},
			want: `{"statusCode":401,"error":"Unauthorized","message":"No key","requestId":"req-abc-123"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			w := httptest.NewRecorder()
			f.handler.WriteError(w, newRequest("", "GET", "/health", ""), c.err)
			a := reply{t: t, status: w.Code, header: w.Header(), body: w.Body.Bytes()}
			require.Equal(t, c.want, string(a.body))
			response := map[string]any{"content": map[string]any{"application/json": map[string]any{
				"schema": map[string]any{"$ref": "#/components/schemas/Error"},
			}}}
			f.document.checkHeaders(t, response, a)
			f.document.checkBody(t, "GET", response, a)
			require.Equal(t, a.status == http.StatusUnauthorized, a.header.Get("WWW-Authenticate") != "")
		})
	}
}

func TestWriteErrorKeepsTheRequestID(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var log bytes.Buffer
	f.rebuild(func(cfg *httpapi.Config) { cfg.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	cause := &httpapi.Error{Status: http.StatusNotFound, Message: "No such page", Err: errors.New("page 7")}
	for want, set := range map[string]string{"of-the-answer": "of-the-answer", "of-the-request": "", fixedRequestID: "bad id"} {
		w, r := httptest.NewRecorder(), newRequest("", "HEAD", "/page", "", "X-Request-Id", "of-the-request")
		if set != "" {
			w.Header().Set("X-Request-Id", set)
		}
		if want == fixedRequestID {
			r.Header.Del("X-Request-Id")
		}
		f.handler.WriteError(w, r, cause)
		require.Equal(t, want, w.Header().Get("X-Request-Id"))
		require.Equal(t, http.StatusNotFound, w.Code)
		require.Empty(t, w.Body.String(), "HEAD")
		records := lines(t, &log)
		require.Len(t, records, 1)
		require.Equal(t, want, records[0]["requestId"])
		require.Equal(t, "httpapi: No such page: page 7", records[0]["error"])
	}
}
