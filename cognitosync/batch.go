package cognitosync

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Batch turns a handler of one message into one of SQS batches, as Lambda's event source mapping sends them. Its answer is the partial
// batch response: the messages that failed, and so are delivered again. Switch ReportBatchItemFailures on in the mapping; without it,
// failed messages are deleted.
//
// A message that can never succeed fails as well: after maxReceiveCount deliveries it comes to rest in the queue's own dead-letter queue,
// where a person sees it. In a FIFO queue the messages of a group after a failed one are failed too, unhandled, so that their order stays.
// The handler that it returns gives ErrBadEvent for what is no SQS event. A nil logger logs nothing.
func Batch(
	handle func(ctx context.Context, body json.RawMessage) error, logger *slog.Logger,
) func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
	log := loggerOf(logger)
	return func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
		var batch sqsEvent
		if err := json.Unmarshal(event, &batch); err != nil || batch.Records == nil {
			return nil, wrap("batch", fmt.Errorf("%w: not an SQS event", ErrBadEvent))
		}
		answer := batchResponse{Failures: []batchFailure{}}
		stuck := map[string]bool{}
		for _, m := range batch.Records {
			group := m.Attributes.MessageGroupID
			if group != "" && stuck[group] {
				answer.Failures = append(answer.Failures, batchFailure{m.MessageID})
				continue
			}
			if err := handle(ctx, json.RawMessage(m.Body)); err != nil {
				log.ErrorContext(ctx, "message failed", "operation", "cognitosync.batch", "messageId", m.MessageID, "error", err.Error())
				answer.Failures = append(answer.Failures, batchFailure{m.MessageID})
				stuck[group] = true
			}
		}
		return json.Marshal(answer)
	}
}

// sqsEvent is what the package reads of a batch.
type sqsEvent struct {
	Records []struct {
		MessageID  string `json:"messageId"`
		Body       string `json:"body"`
		Attributes struct {
			MessageGroupID string `json:"MessageGroupId"`
		} `json:"attributes"`
	} `json:"Records"`
}

type batchResponse struct {
	// Failures must not be null: an empty list means that all succeeded.
	Failures []batchFailure `json:"batchItemFailures"`
}

type batchFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}
