package consume

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/usercore-go/usercore/outbox"
)

const maxConcurrency = 256

// Handler handles one event. Nil means that the message can be deleted; after an error, or a panic, it is delivered again. It is called
// concurrently for events of different aggregates, and must return soon after ctx ends.
type Handler func(ctx context.Context, e outbox.Event) error

// BatchConfig configures a Batch. The zero value is its default.
type BatchConfig struct {
	// Decoder reads the messages.
	Decoder Decoder
	// Concurrency is the most aggregates that are handled at the same time, 1 to 256, default 8.
	Concurrency int
	// Independent lets events be handled although an earlier one of their aggregate failed in the same batch. It suits State; with Delta
	// they would only be gaps, one write each. Default: they fail with it, unhandled.
	Independent bool
	// OnFailure is called for each message that is named in the response, one after the other in the order of the batch, with the error of
	// the handler, ErrPanic, ErrMalformed, ErrBehindFailure or the end of the context. Default: nothing is called.
	OnFailure func(ctx context.Context, messageID string, err error)
}

// Batch handles the batches of an SQS queue and answers which messages failed. Its methods may be called concurrently.
type Batch struct {
	handle Handler
	cfg    BatchConfig
}

// NewBatch returns a Batch, or an error that names the field that is wrong.
func NewBatch(handle Handler, cfg BatchConfig) (*Batch, error) {
	cfg.Concurrency = cmp.Or(cfg.Concurrency, 8)
	switch {
	case handle == nil:
		return nil, badConfig("handle is nil")
	case cfg.Concurrency < 1 || cfg.Concurrency > maxConcurrency:
		return nil, badConfig("Concurrency is %d, want 1 to %d", cfg.Concurrency, maxConcurrency)
	}
	if err := cfg.Decoder.Envelope.Validate(); err != nil {
		return nil, badConfig("Decoder: %w", err)
	}
	return &Batch{handle: handle, cfg: cfg}, nil
}

// Process handles all messages: those of one aggregate one after another in the order of their numbers, different aggregates beside each
// other. The response names the messages that failed and no others. A message that is no event fails too, until the queue's redrive policy
// moves it to the dead-letter queue. What has not begun when ctx ends fails without being handled.
//
// The error is not nil only if a message has no id, so that a failure could not be named: nothing is handled then.
func (b *Batch) Process(ctx context.Context, event SQSEvent) (SQSResponse, error) {
	response := SQSResponse{BatchItemFailures: []SQSFailure{}}
	if slices.ContainsFunc(event.Records, func(m SQSMessage) bool { return m.MessageID == "" }) {
		return response, errors.New("consume: a message has no id")
	}
	for i, err := range b.results(ctx, event.Records) {
		if err == nil {
			continue
		}
		id := event.Records[i].MessageID
		response.BatchItemFailures = append(response.BatchItemFailures, SQSFailure{ItemIdentifier: id})
		if b.cfg.OnFailure != nil {
			b.cfg.OnFailure(ctx, id, err)
		}
	}
	return response, nil
}

// delivery is one message that is an event.
type delivery struct {
	// index is the place of the message in the batch.
	index int
	event outbox.Event
}

// results handles the messages and returns the error of each, nil for those that are done.
func (b *Batch) results(ctx context.Context, messages []SQSMessage) []error {
	results := make([]error, len(messages))
	slots := make(chan struct{}, b.cfg.Concurrency)
	var running sync.WaitGroup
	for _, group := range b.group(messages, results) {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			b.handleGroup(ctx, group, results)
		})
	}
	running.Wait()
	return results
}

// group decodes the messages and sorts those of each aggregate by number. Aggregates come in the order of their first message. Results
// gets the errors of messages that are no events.
func (b *Batch) group(messages []SQSMessage, results []error) [][]delivery {
	var groups [][]delivery
	place := make(map[string]int)
	for i, m := range messages {
		e, err := b.cfg.Decoder.Decode([]byte(m.Body))
		if err != nil {
			results[i] = err
			continue
		}
		at, known := place[e.AggregateID]
		if !known {
			at = len(groups)
			place[e.AggregateID] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], delivery{index: i, event: e})
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b delivery) int { return cmp.Compare(a.event.Seq, b.event.Seq) })
	}
	return groups
}

// handleGroup handles the events of one aggregate. Each group writes to its own places of results.
func (b *Batch) handleGroup(ctx context.Context, group []delivery, results []error) {
	failed := false
	for _, d := range group {
		switch err := ctx.Err(); {
		case err != nil:
			results[d.index] = err
		case failed && !b.cfg.Independent:
			results[d.index] = ErrBehindFailure
		default:
			results[d.index] = b.handleOne(ctx, d.event)
			failed = failed || results[d.index] != nil
		}
	}
}

// handleOne calls the handler. A panic would take the messages of all others down with it, again and again.
func (b *Batch) handleOne(ctx context.Context, e outbox.Event) (err error) {
	defer func() {
		switch value := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("%w: %w\n%s", ErrPanic, value, debug.Stack())
		default:
			err = fmt.Errorf("%w: a value of type %T\n%s", ErrPanic, value, debug.Stack())
		}
	}()
	return b.handle(ctx, e)
}
