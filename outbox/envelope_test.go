package outbox_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/outbox"
)

func TestEnvelope(t *testing.T) {
	t.Parallel()
	e := anEvent(`id"with\quote`, 12)
	e.Data = json.RawMessage("{\"email\":\"a<b>&c@example.com\",\"zeta\":1,\"alpha\":[1,2]}\n")
	e.Environment = "line\u2028break"
	for file, envelope := range map[string]outbox.Envelope{
		"envelope.json":      {},
		"envelope_user.json": {AggregateField: "userId"},
	} {
		encoded, err := envelope.Encode(e)
		require.NoError(t, err)
		require.True(t, json.Valid(encoded))
		golden(t, file, append(encoded, '\n'))
	}
}

func TestEnvelopeWithoutPayload(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{}", " { } "} {
		e := anEvent("a", 1)
		e.Data, e.CorrelationID, e.Environment = json.RawMessage(data), "", ""
		encoded, err := outbox.Envelope{}.Encode(e)
		require.NoError(t, err)
		require.JSONEq(t, `{"aggregateId":"a","timestamp":"2026-03-04T05:06:07.089Z","eventId":"`+e.ID+`","version":"1.0","seq":1,
			"metadata":{"correlationId":"","environment":""}}`, string(encoded))
	}
}

func TestEnvelopeRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"7", "[]", "{", "null"} {
		e := anEvent("a", 1)
		e.Data = json.RawMessage(data)
		_, err := outbox.Envelope{}.Encode(e)
		require.ErrorIs(t, err, outbox.ErrInvalidEvent, data)
	}
}

func TestEnvelopeValidate(t *testing.T) {
	t.Parallel()
	require.NoError(t, outbox.Envelope{}.Validate())
	require.NoError(t, outbox.Envelope{AggregateField: "userId"}.Validate())
	require.Error(t, outbox.Envelope{AggregateField: "metadata"}.Validate())
	require.Error(t, outbox.Envelope{AggregateField: "user id"}.Validate())
}
