package outbox

import (
	"encoding/json"
	"math"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	maxTypeLength        = 128 // EventBridge's limit of detail-type
	maxAggregateIDLength = 128 // SQS's limit of MessageGroupId
	maxVersionLength     = 32
	maxMetadataLength    = 256
	defaultVersion       = "1.0"

	// timeLayout is UTC with a fixed width, so that text sorts as time.
	timeLayout = "2006-01-02T15:04:05.000Z"
)

// Event is something that happened to an aggregate and that others are to hear of.
type Event struct {
	// ID is a UUID in its form of 36 lower-case characters. Consumers know a repeated delivery by it.
	ID string
	// Type is domain.action, as in "user.created": 1–128 printable ASCII characters.
	Type string
	// AggregateID names what the event happened to: 1–128 visible ASCII characters, no spaces. Events of one aggregate are published in
	// the order of Seq.
	AggregateID string
	// Seq is the aggregate's own counter, 1 or more, which moves by one with each event in the transaction of the event. A pair
	// of AggregateID and Seq must never be used again. An aggregate without a counter may use a number that grows with time
	// instead; its order is best effort then (see the package page).
	Seq int64
	// Time is when it happened, kept as UTC in milliseconds.
	Time time.Time
	// Version is the version of the payload's schema, at most 32 visible ASCII characters; "" means "1.0".
	Version string
	// CorrelationID is the id of the request that caused the event, at most 256 bytes; may be empty.
	CorrelationID string
	// Environment is the deployment that the event comes from, at most 256 bytes; may be empty.
	Environment string
	// Data is the payload, a JSON object; nil means {}. Its members stand beside the envelope's, so they must have other names
	// (see Envelope).
	Data json.RawMessage
}

// normalized returns the event as it is stored: with its defaults, the time in UTC milliseconds, the payload compact.
func (e Event) normalized() (Event, error) {
	if err := e.validate(); err != nil {
		return e, err
	}
	if e.Version == "" {
		e.Version = defaultVersion
	}
	e.Time = e.Time.UTC().Truncate(time.Millisecond)
	data, err := compactPayload(e.Data)
	if err != nil {
		return e, err
	}
	e.Data = data
	return e, nil
}

// validate checks everything but the payload.
func (e Event) validate() error {
	switch {
	case !isUUID(e.ID):
		return badField("ID", "is not a UUID in its form of 36 lower-case characters")
	case !isASCII(e.Type, ' ', maxTypeLength):
		return badField("Type", "is not 1–%d printable ASCII characters", maxTypeLength)
	case !isASCII(e.AggregateID, '!', maxAggregateIDLength):
		return badField("AggregateID", "is not 1–%d visible ASCII characters", maxAggregateIDLength)
	case e.Seq < 1:
		return badField("Seq", "is not positive")
	case e.Time.Before(time.Unix(0, 0)) || e.Time.UTC().Year() > 9999:
		return badField("Time", "is not within the years 1970 to 9999")
	case e.Version != "" && !isASCII(e.Version, '!', maxVersionLength):
		return badField("Version", "is not 1–%d visible ASCII characters", maxVersionLength)
	case !isMetadata(e.CorrelationID):
		return badField("CorrelationID", "is not UTF-8 of at most %d bytes", maxMetadataLength)
	case !isMetadata(e.Environment):
		return badField("Environment", "is not UTF-8 of at most %d bytes", maxMetadataLength)
	}
	return nil
}

// checkPack makes sure that the events belong in one pack: same aggregate, contiguous seq, different ids.
func checkPack(events []Event) error {
	if len(events) == 0 {
		return badField("Pack", "has no events")
	}
	first, ids := events[0], make(map[string]bool, len(events))
	if first.Seq > math.MaxInt64-int64(len(events)) {
		return badField("Seq", "is too large")
	}
	for i, e := range events {
		var err *EventError
		switch {
		case e.AggregateID != first.AggregateID:
			err = badField("AggregateID", "differs from that of the first event of the pack")
		case e.Seq != first.Seq+int64(i):
			err = badField("Seq", "does not follow that of the event before it")
		case ids[e.ID]:
			err = badField("ID", "is that of another event of the pack")
		}
		if err != nil {
			err.Index = i
			return err
		}
		ids[e.ID] = true
	}
	return nil
}

// isUUID reports whether s is a UUID in the one form that compares as text.
func isUUID(s string) bool {
	id, err := uuid.Parse(s)
	return err == nil && id.String() == s
}

// isASCII reports whether s has 1 to limit characters between lowest and the tilde.
func isASCII(s string, lowest byte, limit int) bool {
	if s == "" || len(s) > limit {
		return false
	}
	for i := range len(s) {
		if s[i] < lowest || s[i] > '~' {
			return false
		}
	}
	return true
}

func isMetadata(s string) bool {
	return len(s) <= maxMetadataLength && utf8.ValidString(s)
}
