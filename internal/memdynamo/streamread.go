package memdynamo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	shardID         = "shardId-00000000000000000001-memdynamo"
	maxStreamPage   = 1000
	afterSequence   = "AFTER_SEQUENCE_NUMBER"
	atSequence      = "AT_SEQUENCE_NUMBER"
	fromTrimHorizon = "TRIM_HORIZON"
	fromLatest      = "LATEST"
)

// stream returns the stream with an ARN; the caller holds the lock.
func (db *DB) stream(arn string) (*stream, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(arn, arnPrefix), "/stream/")
	if t, ok := db.tables.Get(name); ok && t.stream != nil && t.stream.arn == arn {
		return t.stream, nil
	}
	return nil, newError(serviceErrors+"ResourceNotFoundException", "Requested resource not found: Stream: %s not found", arn)
}

func describeStream(db *DB, r *jsonReader, w *jsonWriter) error {
	arn, limit := "", 0 // there is one shard, so any page holds it
	if err := r.request(members{"StreamArn": &arn, "Limit": &limit}); err != nil {
		return err
	}
	return db.read(func(now time.Time) error {
		s, err := db.stream(arn)
		if err != nil {
			return err
		}
		w.beginObject()
		w.name("StreamDescription").streamDescription(s, now)
		w.endObject()
		return nil
	})
}

func (w *jsonWriter) streamDescription(s *stream, now time.Time) {
	w.beginObject()
	w.name("StreamArn").str(s.arn)
	w.name("StreamLabel").str(s.label)
	w.name("StreamStatus").str("ENABLED")
	w.name("StreamViewType").str(s.view)
	w.name("CreationRequestDateTime").timestamp(s.created)
	w.name("TableName").str(s.table)
	w.keySchema(s.key)
	w.name("Shards").beginArray()
	w.beginObject()
	w.name("ShardId").str(shardID)
	w.name("SequenceNumberRange").beginObject()
	w.name("StartingSequenceNumber").str(sequenceText(s.oldest(now)))
	w.endObject()
	w.endObject()
	w.endArray()
	w.endObject()
}

func getShardIterator(db *DB, r *jsonReader, w *jsonWriter) error {
	var arn, shard, kind, sequence string
	err := r.request(members{
		"StreamArn": &arn, "ShardId": &shard, "SequenceNumber": &sequence,
		"ShardIteratorType": oneOf{&kind, []string{fromTrimHorizon, fromLatest, atSequence, afterSequence}},
	})
	if err != nil {
		return err
	}
	return db.read(func(now time.Time) error {
		s, err := db.stream(arn)
		if err != nil {
			return err
		}
		if shard != shardID {
			return newError(serviceErrors+"ResourceNotFoundException", "Requested resource not found: Shard does not exist")
		}
		position, err := s.position(kind, sequence, now)
		if err != nil {
			return err
		}
		w.beginObject()
		w.name("ShardIterator").str(iteratorText(s, position))
		w.endObject()
		return nil
	})
}

// position is the sequence number at which an iterator of the given type starts.
func (s *stream) position(kind, sequence string, now time.Time) (int, error) {
	switch kind {
	case fromTrimHorizon:
		return s.oldest(now), nil
	case fromLatest:
		return s.next, nil
	}
	n, err := strconv.Atoi(sequence)
	if err != nil || n < 1 || n >= s.next {
		return 0, invalid("Invalid SequenceNumber")
	}
	if kind == afterSequence {
		n++
	}
	return n, s.checkPosition(n, now)
}

func (s *stream) checkPosition(position int, now time.Time) error {
	if position < s.oldest(now) {
		return newError(serviceErrors+"TrimmedDataAccessException", "The requested records are older than %s", streamRetention)
	}
	return nil
}

// An iterator is the stream's ARN and a position in it. Unlike those of the service it does not expire.
func iteratorText(s *stream, position int) string { return s.arn + "|" + strconv.Itoa(position) }

func sequenceText(sequence int) string { return fmt.Sprintf("%021d", sequence) }

func getRecords(db *DB, r *jsonReader, w *jsonWriter) error {
	iterator, limit := "", maxStreamPage
	if err := r.request(members{"ShardIterator": &iterator, "Limit": &limit}); err != nil {
		return err
	}
	if limit < 1 || limit > maxStreamPage {
		return invalid("Limit must be between 1 and %d, but is %d", maxStreamPage, limit)
	}
	arn, text, _ := strings.Cut(iterator, "|")
	return db.read(func(now time.Time) error {
		s, err := db.stream(arn)
		if err != nil {
			return err
		}
		position, err := strconv.Atoi(text)
		if err != nil || position < 1 || position > s.next {
			return invalid("Invalid ShardIterator")
		}
		if err := s.checkPosition(position, now); err != nil {
			return err
		}
		records := s.from(position, limit, now)
		w.beginObject()
		w.name("Records").beginArray()
		for _, rec := range records {
			w.streamRecord(s, rec)
		}
		w.endArray()
		w.name("NextShardIterator").str(iteratorText(s, position+len(records)))
		w.endObject()
		return nil
	})
}

func (w *jsonWriter) streamRecord(s *stream, rec streamRecord) {
	w.beginObject()
	w.name("eventID").str(s.label + "-" + strconv.Itoa(rec.sequence))
	w.name("eventName").str(rec.event)
	w.name("eventVersion").str("1.1")
	w.name("eventSource").str("aws:dynamodb")
	w.name("awsRegion").str(region)
	w.name("dynamodb").beginObject()
	w.name("ApproximateCreationDateTime").timestamp(rec.at)
	w.name("Keys").attributes(rec.key)
	if rec.next != nil {
		w.name("NewImage").attributes(rec.next)
	}
	if rec.old != nil {
		w.name("OldImage").attributes(rec.old)
	}
	w.name("SequenceNumber").str(sequenceText(rec.sequence))
	w.name("SizeBytes").integer(rec.key.size() + rec.next.size() + rec.old.size())
	w.name("StreamViewType").str(s.view)
	w.endObject()
	if rec.expired {
		w.name("userIdentity").beginObject()
		w.name("Type").str("Service")
		w.name("PrincipalId").str("dynamodb.amazonaws.com")
		w.endObject()
	}
	w.endObject()
}
