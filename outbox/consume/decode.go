package consume

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"github.com/usercore-go/usercore/outbox"
)

// maxIDLength is the limit of an event's and an aggregate's id in bytes. Producers with package outbox stay far below; the limit keeps what
// comes from elsewhere within the size of a DynamoDB key.
const maxIDLength = 512

// Decoder reads published events. The zero value is ready for use.
type Decoder struct {
	// Envelope is the form in which the producer encodes events. For those of usercore, AggregateField is "userId".
	Envelope outbox.Envelope
}

// frame is the body of a message: an event as EventBridge delivers it to a queue, and as package sqspub sends it.
type frame struct {
	DetailType string          `json:"detail-type"`
	Detail     json.RawMessage `json:"detail"`
}

// Decode reads the body of a message: {"detail-type": …, "detail": {…}} with the envelope as detail. Members that it does not know are
// ignored in the frame and kept in the event's Data, which has the payload without the envelope, its members in the order of their names.
//
// It returns an *EventError (ErrMalformed) if the body is something else or a member is missing: eventId, the aggregate's id, a seq from
// 1, timestamp, detail-type. The version of the schema is not judged: a consumer that cannot read a version looks at Event.Version.
func (d Decoder) Decode(body []byte) (outbox.Event, error) {
	var f frame
	if err := json.Unmarshal(body, &f); err != nil {
		return outbox.Event{}, badField("body", "is not an event in JSON")
	}
	// A map and not a struct: encoding/json matches the names of struct fields without regard to case, and "Seq" may be the payload's.
	var members map[string]json.RawMessage
	if err := json.Unmarshal(f.Detail, &members); err != nil || members == nil {
		return outbox.Event{}, badField("detail", "is not a JSON object")
	}
	e, err := d.envelope(members)
	if err != nil {
		return outbox.Event{}, err
	}
	e.Type = f.DetailType
	if e.Type == "" {
		return outbox.Event{}, badField("detail-type", "is missing")
	}
	if err := validate(e); err != nil {
		return outbox.Event{}, err
	}
	e.Data = encode(members)
	return e, nil
}

// envelope takes the members of the envelope out of the detail.
func (d Decoder) envelope(members map[string]json.RawMessage) (outbox.Event, error) {
	var e outbox.Event
	var metadata struct {
		CorrelationID string `json:"correlationId"`
		Environment   string `json:"environment"`
	}
	var timestamp string
	for _, m := range []struct {
		name   string
		target any
	}{
		{d.aggregateField(), &e.AggregateID},
		{"eventId", &e.ID},
		{"seq", &e.Seq},
		{"timestamp", &timestamp},
		{"version", &e.Version},
		{"metadata", &metadata},
	} {
		raw, found := members[m.name]
		delete(members, m.name)
		if !found {
			continue // a missing member stays zero, and validate has the word
		}
		if err := json.Unmarshal(raw, m.target); err != nil {
			return e, badField(m.name, "has the wrong type")
		}
	}
	var err error
	if e.Time, err = time.Parse(time.RFC3339, timestamp); err != nil {
		return e, badField("timestamp", "is not an ISO 8601 time with a zone")
	}
	e.CorrelationID, e.Environment = metadata.CorrelationID, metadata.Environment
	return e, nil
}

func (d Decoder) aggregateField() string { return cmp.Or(d.Envelope.AggregateField, "aggregateId") }

// validate checks what decisions are made by.
func validate(e outbox.Event) error {
	switch {
	case e.ID == "" || len(e.ID) > maxIDLength:
		return badField("eventId", "is missing or too long")
	case e.AggregateID == "" || len(e.AggregateID) > maxIDLength:
		return badField("the aggregate's id", "is missing or too long")
	case e.Seq < 1:
		return badField("seq", "is missing or not positive")
	}
	return nil
}

// encode returns the members as an object, without the escapes that only HTML needs.
func encode(members map[string]json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(members) // what was decoded always encodes
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
