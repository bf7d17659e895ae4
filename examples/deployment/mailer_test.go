package deployment

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
)

// newMailer is a mailer whose SES is a handler, and its log.
func newMailer(t *testing.T, ses http.HandlerFunc) (*mailer, *bytes.Buffer) {
	t.Helper()
	server := httptest.NewServer(ses)
	t.Cleanup(server.Close)
	var log bytes.Buffer
	return &mailer{
		client: sesv2.New(sesv2.Options{
			Region: "eu-west-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
			Retryer: aws.NopRetryer{},
		}),
		from: "accounts@example.com", logger: slog.New(slog.NewTextHandler(&log, nil)),
	}, &log
}

func message() emails.Message {
	return emails.Message{To: "dana@example.com", Code: "123456", ExpiresIn: 15 * time.Minute, UserID: "dana", EmailID: "e-1"}
}

// TestMail is what SES is asked to send.
func TestMail(t *testing.T) {
	t.Parallel()
	var sent map[string]any
	m, log := newMailer(t, func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "POST /v2/email/outbound-emails", r.Method+" "+r.URL.Path)
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&sent))
		_, _ = io.WriteString(w, `{"MessageId":"1"}`)
	})
	require.NoError(t, m.Send(t.Context(), message()))
	assert.Equal(t, "accounts@example.com", sent["FromEmailAddress"])
	assert.Equal(t, map[string]any{"ToAddresses": []any{"dana@example.com"}}, sent["Destination"])
	simple := sent["Content"].(map[string]any)["Simple"].(map[string]any)
	assert.Equal(t, map[string]any{"Data": "Your verification code", "Charset": "UTF-8"}, simple["Subject"])
	text := simple["Body"].(map[string]any)["Text"].(map[string]any)["Data"]
	assert.Equal(t, "Your code is 123456. It is valid for 15 minutes.\n\nIf you did not ask for it, ignore this mail.\n", text)
	assert.Empty(t, log.String())
}

// TestMailRefused shows neither address nor code, although SES's message has the address.
func TestMailRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ses  http.HandlerFunc
		want string
	}{
		"refused": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Amzn-Errortype", "MessageRejected")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"message":"Email address is not verified: dana@example.com"}`)
		}, "SES: MessageRejected"},
		"no_answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "SES: no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, log := newMailer(t, test.ses)
			assert.EqualError(t, m.Send(t.Context(), message()), test.want)
			assert.Contains(t, log.String(), "userId=dana emailId=e-1")
			assert.NotContains(t, log.String(), "dana@example.com")
			assert.NotContains(t, log.String(), "123456")
		})
	}
}
