package memdynamo

import (
	"slices"
	"time"
)

// streamRetention is how long a stream keeps its records ("DynamoDB Streams", DynamoDB developer guide).
const streamRetention = 24 * time.Hour

// Names of stream events.
const (
	eventInsert = "INSERT"
	eventModify = "MODIFY"
	eventRemove = "REMOVE"
)

// Kinds of StreamViewType.
const (
	viewKeys = "KEYS_ONLY"
	viewNew  = "NEW_IMAGE"
	viewOld  = "OLD_IMAGE"
	viewBoth = "NEW_AND_OLD_IMAGES"
)

// stream holds the latest changes of a table. It has one shard, which is never closed.
type stream struct {
	arn, label string
	table      string
	key        keySchema
	view       string
	created    time.Time

	records []streamRecord
	next    int // sequence number of the next record
}

// streamRecord is one change of one item.
type streamRecord struct {
	sequence  int
	at        time.Time
	event     string
	key       item
	old, next item // as far as the view shows them
	expired   bool
}

// openStream gives the table the stream that its definition asks for, if any.
func (t *table) openStream(now time.Time) {
	if t.streamView == "" {
		return
	}
	label := now.UTC().Format("2006-01-02T15:04:05.000")
	t.stream = &stream{
		arn: arnPrefix + t.name + "/stream/" + label, label: label,
		table: t.name, key: t.key, view: t.streamView, created: now, next: 1,
	}
}

// record appends a change, unless it leaves the item as it was. A nil stream records nothing.
func (s *stream) record(now time.Time, c change, expired bool) {
	if s == nil {
		return
	}
	old, next := c.old.item(), c.next.item()
	rec := streamRecord{sequence: s.next, at: now, event: eventModify, expired: expired}
	switch {
	case c.old == nil:
		rec.event, rec.key = eventInsert, next
	case c.next == nil:
		rec.event, rec.key = eventRemove, old
	case old.equal(next):
		return
	default:
		rec.key = next
	}
	rec.key = rec.key.only(s.key.names()...)
	if s.view == viewOld || s.view == viewBoth {
		rec.old = old
	}
	if s.view == viewNew || s.view == viewBoth {
		rec.next = next
	}
	s.next++
	s.records = append(s.trimmed(now), rec)
}

// trimmed returns the records that are not too old.
func (s *stream) trimmed(now time.Time) []streamRecord {
	kept := slices.IndexFunc(s.records, func(rec streamRecord) bool { return now.Sub(rec.at) < streamRetention })
	if kept < 0 {
		return nil
	}
	return s.records[kept:]
}

// oldest is the sequence number of the first record that is kept, or of the next one to come.
func (s *stream) oldest(now time.Time) int {
	if kept := s.trimmed(now); len(kept) > 0 {
		return kept[0].sequence
	}
	return s.next
}

// from returns up to limit records that are kept, from a sequence number on.
func (s *stream) from(sequence, limit int, now time.Time) []streamRecord {
	kept := s.trimmed(now)
	start := len(kept) - (s.next - sequence)
	return kept[start:min(len(kept), start+limit)]
}

// streamSpecification reads StreamSpecification and returns the view type, "" for no stream.
func (r *jsonReader) streamSpecification() string {
	enabled, view := false, ""
	r.members(members{
		"StreamEnabled": &enabled, "StreamViewType": oneOf{&view, []string{viewNew, viewOld, viewBoth, viewKeys}},
	})
	if enabled != (view != "") {
		r.fail(invalidValue("StreamViewType must be specified if and only if StreamEnabled is true"))
	}
	return view
}
