package outbox

import (
	"cmp"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	// defaultMaxEventBytes is the size of a PutEvents entry that every region takes. Many take 1 MiB.
	defaultMaxEventBytes = 256 << 10
	minMaxEventBytes     = 1 << 10

	// entryRoom is set aside for what a publisher adds to the envelope: source, detail type, time, and SQS's frame.
	entryRoom = 1 << 10

	// maxPackBytes is what DynamoDB takes of one item less 8 KiB for what relays add to a pack.
	maxPackBytes = 400<<10 - 8<<10
)

// WriterConfig configures a Writer.
type WriterConfig struct {
	// Table is where the outbox lies; required.
	Table Table
	// Shards is the number of partitions over which aggregates are spread: a power of two from 1 to 1024, default 16. One partition
	// takes 1,000 write units per second. To change it, stop the writers, let the relay drain, and restart both.
	Shards int
	// Envelope is the form in which publishers encode events; the writer needs it to check names and sizes.
	Envelope Envelope
	// MaxEventBytes is the largest size of an event as published, in bytes: its envelope and 1 KiB for the publisher's own. From 1 KiB to
	// 392 KiB, default 256 KiB. The publisher must be able to take as much.
	MaxEventBytes int
	// Wake, if set, is called by Committed: Relay.Wake of a relay in the same process.
	Wake func(aggregateIDs ...string)
}

// Writer makes event packs for the transactions of its owner. It does no I/O and may be used concurrently.
type Writer struct {
	table         Table
	shards        int
	envelope      Envelope
	maxEventBytes int
	wake          func(aggregateIDs ...string)
}

// NewWriter returns a Writer, or an error that names the field that is wrong.
func NewWriter(cfg WriterConfig) (*Writer, error) {
	table, err := cfg.Table.withDefaults()
	if err != nil {
		return nil, err
	}
	shards, err := checkShards(cfg.Shards)
	if err != nil {
		return nil, err
	}
	if err := cfg.Envelope.Validate(); err != nil {
		return nil, err
	}
	limit := cmp.Or(cfg.MaxEventBytes, defaultMaxEventBytes)
	if limit < minMaxEventBytes || limit > maxPackBytes {
		return nil, badConfig("MaxEventBytes is %d, want %d to %d", limit, minMaxEventBytes, maxPackBytes)
	}
	return &Writer{table: table, shards: shards, envelope: cfg.Envelope, maxEventBytes: limit, wake: cfg.Wake}, nil
}

// TransactItem returns the write of one event pack, to be sent as an action of the transaction that makes the events true. The events are
// all those of one aggregate in the transaction, in the order of Seq without gaps. They are published if and only if the transaction
// commits.
//
// It returns an *EventError (ErrInvalidEvent) for events that could not be published: a field missing or malformed, a payload that is no
// JSON object or uses a name of the envelope, an event above MaxEventBytes, a pack above DynamoDB's size of an item.
//
// The action costs 2 write units per KiB of the pack. It carries the condition that no pack waits under the same aggregate and number:
// writing over one would lose its events. That condition fails only if the caller used a Seq twice, so it is no reason to retry.
func (w *Writer) TransactItem(events ...Event) (types.TransactWriteItem, error) {
	ready := make([]Event, len(events))
	for i, e := range events {
		var err error
		if ready[i], err = w.prepare(e); err != nil {
			return types.TransactWriteItem{}, atIndex(err, i)
		}
	}
	if err := checkPack(ready); err != nil {
		return types.TransactWriteItem{}, err
	}
	stored := w.table.packItem(newPack(ready, w.shards))
	if size := sizeOf(stored); size > maxPackBytes {
		return types.TransactWriteItem{}, badField("Pack", "has %d bytes, limit %d", size, maxPackBytes)
	}
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                aws.String(w.table.Name),
		Item:                     stored,
		ConditionExpression:      aws.String("attribute_not_exists(#pk)"),
		ExpressionAttributeNames: map[string]string{"#pk": w.table.PartitionKey},
	}}, nil
}

// Committed tells the relay in the same process, if there is one, that a transaction with packs of these aggregates has committed, so
// that it publishes them at once. It returns at once too. Leaving it out delays publication until the relay's next poll.
func (w *Writer) Committed(aggregateIDs ...string) {
	if w.wake != nil {
		w.wake(aggregateIDs...)
	}
}

// prepare returns the event as it is stored, after all checks that concern it alone.
func (w *Writer) prepare(e Event) (Event, error) {
	e, err := e.normalized()
	if err != nil {
		return e, err
	}
	if err := checkPayload(e.Data, w.envelope.taken()); err != nil {
		return e, err
	}
	encoded, err := w.envelope.Encode(e)
	if err != nil {
		return e, err
	}
	if size := len(encoded) + entryRoom; size > w.maxEventBytes {
		return e, badField("Data", "makes an event of %d bytes, limit %d", size, w.maxEventBytes)
	}
	return e, nil
}

// atIndex sets the position in the error of an event.
func atIndex(err error, index int) error {
	if bad, ok := errors.AsType[*EventError](err); ok {
		bad.Index = index
	}
	return err
}
