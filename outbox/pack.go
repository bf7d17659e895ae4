package outbox

import (
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// pack is the events of one transaction and aggregate: the unit that is stored and deleted.
type pack struct {
	shard       int
	aggregateID string
	// seq is the number of the first event as written; it never changes, also when events at the front are done.
	seq int64
	// sort is the pack's sort key, which names it within its shard.
	sort      string
	events    []Event
	createdAt time.Time
	// shards is the number of shards that the writer was configured with.
	shards int
	// done is how many events at the front are settled: published, or moved to the dead letters. Stored is how many of them the
	// table knows of.
	done, stored int
	// attempts is how often the first event that is not done has failed, as far as it was stored.
	attempts int
	// nextAttemptAt is the time before which the pack is left alone; zero for none.
	nextAttemptAt time.Time
	// firstFailedAt is when that event failed first; zero if it has not.
	firstFailedAt time.Time
	// lastFailedAt is when it failed last.
	lastFailedAt time.Time
	// heldAt is when the pack was set aside for an operator; zero if it is not held.
	heldAt time.Time
	// lastError says why it was held or tried again.
	lastError string
	// bytes is about what the pack occupies, in the table and in memory.
	bytes int
}

func newPack(events []Event, shards int) *pack {
	first := events[0]
	return &pack{
		shard:       shardOf(first.AggregateID, shards),
		aggregateID: first.AggregateID,
		seq:         first.Seq,
		sort:        packSort(first.AggregateID, first.Seq),
		events:      events,
		createdAt:   first.Time,
		shards:      shards,
	}
}

// last is the number of the last event.
func (p *pack) last() int64 { return p.seq + int64(len(p.events)) - 1 }

// packItem returns the pack as it is first written.
func (t Table) packItem(p *pack) item {
	it := t.key(t.waiting(p.shard), p.sort)
	events := make([]types.AttributeValue, len(p.events))
	for i, e := range p.events {
		events[i] = &types.AttributeValueMemberM{Value: encodeEvent(e)}
	}
	it[attrEvents] = &types.AttributeValueMemberL{Value: events}
	it[attrShards] = number(int64(p.shards))
	it[attrCreatedAt] = timestamp(p.createdAt)
	return it
}

// encodeEvent leaves out what the key says, and what is empty.
func encodeEvent(e Event) item {
	it := item{
		fieldID:      text(e.ID),
		fieldType:    text(e.Type),
		fieldTime:    timestamp(e.Time),
		fieldVersion: text(e.Version),
		fieldData:    text(string(e.Data)),
	}
	if e.CorrelationID != "" {
		it[fieldCorrelationID] = text(e.CorrelationID)
	}
	if e.Environment != "" {
		it[fieldEnvironment] = text(e.Environment)
	}
	return it
}

// errMalformed says that an item under the outbox's prefix is no pack. Only somebody else can have written it.
var errMalformed = errors.New("outbox: malformed pack")

// decodePack reads a pack from a partition of the shard.
func (t Table) decodePack(shard int, it item) (*pack, error) {
	aggregateID, seq, ok := parsePackSort(textOf(it, t.SortKey))
	list, isList := it[attrEvents].(*types.AttributeValueMemberL)
	if !ok || !isList {
		return nil, errMalformed
	}
	p := &pack{
		shard:         shard,
		aggregateID:   aggregateID,
		seq:           seq,
		sort:          textOf(it, t.SortKey),
		createdAt:     timeOf(it, attrCreatedAt),
		shards:        int(numberOf(it, attrShards)),
		done:          int(numberOf(it, attrDone)),
		stored:        int(numberOf(it, attrDone)),
		attempts:      int(numberOf(it, attrAttempts)),
		nextAttemptAt: timeOf(it, attrNextAttemptAt),
		firstFailedAt: timeOf(it, attrFirstFailedAt),
		lastFailedAt:  timeOf(it, attrLastFailedAt),
		heldAt:        timeOf(it, attrHeldAt),
		lastError:     textOf(it, attrError),
		bytes:         sizeOf(it),
	}
	for i, value := range list.Value {
		member, ok := value.(*types.AttributeValueMemberM)
		if !ok {
			return nil, errMalformed
		}
		p.events = append(p.events, decodeEvent(member.Value, aggregateID, seq+int64(i)))
	}
	if p.done < 0 || p.done >= len(p.events) || seq > math.MaxInt64-int64(len(p.events)) {
		return nil, errMalformed
	}
	return p, nil
}

func decodeEvent(it item, aggregateID string, seq int64) Event {
	return Event{
		ID:            textOf(it, fieldID),
		Type:          textOf(it, fieldType),
		AggregateID:   aggregateID,
		Seq:           seq,
		Time:          timeOf(it, fieldTime),
		Version:       textOf(it, fieldVersion),
		CorrelationID: textOf(it, fieldCorrelationID),
		Environment:   textOf(it, fieldEnvironment),
		Data:          json.RawMessage(textOf(it, fieldData)),
	}
}
