package sqspub

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/usercore-go/usercore/outbox"
)

const (
	// maxEntries and maxCallBytes are the most that SendMessageBatch takes in a call (API reference).
	maxEntries   = 10
	maxCallBytes = 1 << 20
	// maxSource keeps a message within what the writer has set aside for it; EventBridge has the same limit.
	maxSource = 256
)

// Errors of Check.
var (
	ErrNoQueue = errors.New("sqspub: the queue does not exist")
	ErrNotFIFO = errors.New("sqspub: the queue is not a FIFO queue")
)

// Client is what the publisher calls of SQS; *sqs.Client implements it. Its methods are called concurrently.
type Client interface {
	SendMessageBatch(context.Context, *sqs.SendMessageBatchInput, ...func(*sqs.Options)) (*sqs.SendMessageBatchOutput, error)
	GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
}

// Config configures a Publisher.
type Config struct {
	// QueueURL is the URL of the FIFO queue; required.
	QueueURL string
	// Source names the service that the events come from, as in "user-service": 1–256 bytes; required.
	Source string
	// Envelope is the form of the detail, as the writer has it.
	Envelope outbox.Envelope
	// MaxMessageBytes is the largest message that is sent, 1 KiB to 1 MiB, default 1 MiB. It must not be below the writer's MaxEventBytes,
	// nor above the queue's MaximumMessageSize.
	MaxMessageBytes int
	// SkipCheck leaves out the check at start that the queue exists and is a FIFO queue. One that is not refuses every message, which then
	// counts as the message's fault.
	SkipCheck bool
}

// Publisher publishes to one queue. It is safe for concurrent use.
type Publisher struct {
	client Client
	cfg    Config
}

var (
	_ outbox.Publisher = (*Publisher)(nil)
	_ outbox.Checker   = (*Publisher)(nil)
)

// New returns a Publisher, or an error that names the field that is wrong. It does no I/O.
func New(client Client, cfg Config) (*Publisher, error) {
	cfg.MaxMessageBytes = cmp.Or(cfg.MaxMessageBytes, maxCallBytes)
	switch {
	case client == nil:
		return nil, errors.New("sqspub: the client is nil")
	case cfg.QueueURL == "":
		return nil, errors.New("sqspub: QueueURL is empty")
	case cfg.Source == "" || len(cfg.Source) > maxSource:
		return nil, fmt.Errorf("sqspub: Source is not 1–%d bytes", maxSource)
	case cfg.MaxMessageBytes < 1<<10 || cfg.MaxMessageBytes > maxCallBytes:
		return nil, fmt.Errorf("sqspub: MaxMessageBytes is %d, want %d to %d", cfg.MaxMessageBytes, 1<<10, maxCallBytes)
	}
	if err := cfg.Envelope.Validate(); err != nil {
		return nil, fmt.Errorf("sqspub: %w", err)
	}
	return &Publisher{client: client, cfg: cfg}, nil
}

// Check returns ErrNoQueue if the queue does not exist, ErrNotFIFO if it keeps no order, and another error if that cannot be found out. It
// costs one request.
func (p *Publisher) Check(ctx context.Context) error {
	if p.cfg.SkipCheck {
		return nil
	}
	out, err := p.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl:       aws.String(p.cfg.QueueURL),
		AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}, // SQS refuses FifoQueue by name on a standard queue
	})
	if _, missing := errors.AsType[*types.QueueDoesNotExist](err); missing {
		return ErrNoQueue
	}
	switch {
	case err != nil:
		return fmt.Errorf("sqspub: get the queue's attributes: %w", err)
	case out.Attributes[string(types.QueueAttributeNameFifoQueue)] != "true":
		return ErrNotFIFO
	}
	return nil
}

// Publish sends the entries in as few calls as the limits allow, one after another. See the package page for results.
func (p *Publisher) Publish(ctx context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	return outbox.Batcher[types.SendMessageBatchRequestEntry]{
		MaxEntries:    maxEntries,
		MaxBytes:      maxCallBytes,
		MaxEntryBytes: p.cfg.MaxMessageBytes,
		Encode:        p.encode,
		Send:          p.send,
		Refused:       refused,
	}.Publish(ctx, entries)
}
