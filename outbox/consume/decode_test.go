package consume_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// userDecoder reads what usercore publishes.
func userDecoder() consume.Decoder {
	return consume.Decoder{Envelope: outbox.Envelope{AggregateField: "userId"}}
}

func TestDecodeEventBridge(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/eventbridge.json")
	require.NoError(t, err)
	e, err := userDecoder().Decode(body)
	require.NoError(t, err)
	require.Equal(t, outbox.Event{
		ID:            "ca866be9-08cf-54d1-8056-c2056ed15c24",
		Type:          "email.verified",
		AggregateID:   "user-1",
		Seq:           9007199254740993, // no float64
		Time:          time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC),
		Version:       "1.0",
		CorrelationID: "req-1",
		Environment:   "prod",
		Data: json.RawMessage(
			`{"Seq":"the payload's own","email":"a<b>&c@example.com","emailId":"e1","later":{"added":[1,2.50]}}`),
	}, e)
}

// TestDecodeSQSPublisher reads a body that package sqspub sends, from its golden file.
func TestDecodeSQSPublisher(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/sqspub.json")
	require.NoError(t, err)
	e, err := userDecoder().Decode(body)
	require.NoError(t, err)
	require.Equal(t, "test.happened", e.Type)
	require.Equal(t, "aggregate-0", e.AggregateID)
	require.Equal(t, int64(1), e.Seq)
	require.JSONEq(t, `{"email":"a&b@example.com","odd":"\ufffe\uffff"}`, string(e.Data))
}

func TestDecodeIsTheInverseOfEncode(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"", "userId", "account"} {
		envelope := outbox.Envelope{AggregateField: field}
		e := event("a\"b\\c#1", 3)
		e.Data, e.CorrelationID, e.Environment = json.RawMessage(`{"a":"<&>","b":[null,{}]}`), "request", "test"
		got, err := consume.Decoder{Envelope: envelope}.Decode([]byte(body(t, envelope, e)))
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
}

func TestDecodeMalformed(t *testing.T) {
	t.Parallel()
	const good = `{"detail-type":"user.created","detail":{"userId":"u","eventId":"e","seq":1,"timestamp":"2026-01-02T03:04:05Z"}}`
	_, err := userDecoder().Decode([]byte(good))
	require.NoError(t, err, "version and metadata may be missing")
	for name, tc := range map[string]struct{ old, new, field string }{
		"not_json":             {good, `hello`, "body"},
		"empty":                {good, ``, "body"},
		"list":                 {good, `[]`, "body"},
		"null":                 {good, `null`, "detail"},
		"no_detail":            {`"detail":{`, `"other":{`, "detail"},
		"detail_is_text":       {good, `{"detail-type":"a.b","detail":"{}"}`, "detail"},
		"no_type":              {`"detail-type"`, `"type"`, "detail-type"},
		"no_aggregate":         {`"userId"`, `"accountId"`, "the aggregate's id"},
		"aggregate_is_null":    {`"u"`, `null`, "the aggregate's id"},
		"aggregate_is_number":  {`"u"`, `7`, "userId"},
		"aggregate_too_long":   {`"u"`, `"` + strings.Repeat("u", 513) + `"`, "the aggregate's id"},
		"no_event_id":          {`"eventId"`, `"EventID"`, "eventId"},
		"event_id_too_long":    {`"e"`, `"` + strings.Repeat("e", 513) + `"`, "eventId"},
		"no_seq":               {`"seq"`, `"SEQ"`, "seq"},
		"seq_zero":             {`:1,`, `:0,`, "seq"},
		"seq_negative":         {`:1,`, `:-1,`, "seq"},
		"seq_fraction":         {`:1,`, `:1.5,`, "seq"},
		"seq_text":             {`:1,`, `:"1",`, "seq"},
		"seq_beyond_64_bits":   {`:1,`, `:9223372036854775808,`, "seq"},
		"no_timestamp":         {`"timestamp"`, `"time"`, "timestamp"},
		"timestamp_no_zone":    {`05Z`, `05`, "timestamp"},
		"metadata_is_a_number": {`"seq"`, `"metadata":1,"seq"`, "metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := userDecoder().Decode([]byte(strings.Replace(good, tc.old, tc.new, 1)))
			require.ErrorIs(t, err, consume.ErrMalformed)
			bad, ok := errors.AsType[*consume.EventError](err)
			require.True(t, ok)
			require.Equal(t, tc.field, bad.Field)
			require.NotContains(t, err.Error(), "hello")
		})
	}
}

// FuzzDecode finds bodies for which Decode panics, or returns an event that cannot be applied or encoded.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"testdata/eventbridge.json", "testdata/sqspub.json"} {
		body, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(body)
	}
	f.Add([]byte(`{"detail-type":"a","detail":{"userId":"u","eventId":"e","seq":1,"timestamp":"2026-01-02T03:04:05+14:00","x":"\ud800"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := userDecoder().Decode(body)
		if err != nil {
			require.ErrorIs(t, err, consume.ErrMalformed)
			return
		}
		require.Positive(t, e.Seq)
		require.NotEmpty(t, e.ID)
		require.NotEmpty(t, e.AggregateID)
		require.NotEmpty(t, e.Type)
		var data map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(e.Data, &data))
		_, err = userDecoder().Envelope.Encode(e)
		require.NoError(t, err)
	})
}

// body returns the message of an event.
func body(t *testing.T, envelope outbox.Envelope, e outbox.Event) string {
	t.Helper()
	detail, err := envelope.Encode(e)
	require.NoError(t, err)
	return fmt.Sprintf(`{"source":"user-service","detail-type":%q,"time":"2026-01-02T03:04:05Z","detail":%s}`, e.Type, detail)
}
