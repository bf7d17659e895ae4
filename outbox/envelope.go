package outbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
)

// Envelope is the JSON object in which consumers receive an event: the aggregate's id, the members of the payload as they were
// written, then timestamp, eventId, version, seq and metadata with correlationId and environment. It is EventBridge's detail. The zero
// value is ready for use.
type Envelope struct {
	// AggregateField is the name of the member that holds the aggregate's id; default "aggregateId".
	AggregateField string
}

// reserved are the names of the envelope's members beside the aggregate's id.
func reserved() []string {
	return []string{"timestamp", "eventId", "version", "seq", "metadata"}
}

// Validate returns an error if the name of a field cannot be used.
func (v Envelope) Validate() error {
	if v.AggregateField != "" && !isASCII(v.AggregateField, '!', maxTypeLength) {
		return badConfig("Envelope.AggregateField is not 1–%d visible ASCII characters", maxTypeLength)
	}
	if slices.Contains(reserved(), v.AggregateField) {
		return badConfig("Envelope.AggregateField %q is the name of another member", v.AggregateField)
	}
	return nil
}

// Encode returns the object, always with the same bytes for the same event. The payload is trusted to be what TransactItem lets pass;
// one that is not even an object is an *EventError.
func (v Envelope) Encode(e Event) ([]byte, error) {
	data := bytes.TrimSpace(e.Data)
	if len(data) == 0 {
		data = []byte("{}")
	}
	if data[0] != '{' || data[len(data)-1] != '}' {
		return nil, badField("Data", "is not a JSON object")
	}
	var out bytes.Buffer
	out.Grow(len(data) + envelopeRoom)
	out.WriteByte('{')
	writeString(&out, v.aggregateField())
	out.WriteByte(':')
	writeString(&out, e.AggregateID)
	if members := bytes.TrimSpace(data[1 : len(data)-1]); len(members) > 0 {
		out.WriteByte(',')
		out.Write(members)
	}
	out.WriteString(`,"timestamp":`)
	writeString(&out, e.Time.UTC().Format(timeLayout))
	out.WriteString(`,"eventId":`)
	writeString(&out, e.ID)
	out.WriteString(`,"version":`)
	writeString(&out, cmp.Or(e.Version, defaultVersion))
	out.WriteString(`,"seq":`)
	out.WriteString(strconv.FormatInt(e.Seq, 10))
	out.WriteString(`,"metadata":{"correlationId":`)
	writeString(&out, e.CorrelationID)
	out.WriteString(`,"environment":`)
	writeString(&out, e.Environment)
	out.WriteString(`}}`)
	return out.Bytes(), nil
}

// envelopeRoom is about what the envelope adds to a payload; a wrong guess costs one allocation.
const envelopeRoom = 320

func (v Envelope) aggregateField() string {
	return cmp.Or(v.AggregateField, "aggregateId")
}

// taken are the names that a payload's members must not have.
func (v Envelope) taken() []string {
	return append(reserved(), v.aggregateField())
}

// writeString writes s as JSON without the escapes that only HTML needs.
func writeString(out *bytes.Buffer, s string) {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s)       // a string always encodes
	out.Truncate(out.Len() - 1) // the encoder ends with a line break
}
