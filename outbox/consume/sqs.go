package consume

import (
	"encoding/json"
	"errors"
	"fmt"
)

// SQSEvent is what Lambda hands to a function behind an SQS queue, as far as the package needs it. A program that polls the queue
// itself fills it from ReceiveMessage.
type SQSEvent struct {
	Records []SQSMessage `json:"Records"`
}

// UnmarshalJSON returns an error for what has no Records. An event of another kind would else pass for a batch without messages: all done.
func (e *SQSEvent) UnmarshalJSON(text []byte) error {
	var batch struct{ Records []SQSMessage }
	if err := json.Unmarshal(text, &batch); err != nil {
		return fmt.Errorf("consume: not an SQS event: %w", err)
	}
	if batch.Records == nil {
		return errors.New("consume: not an SQS event: it has no Records")
	}
	e.Records = batch.Records
	return nil
}

// SQSMessage is one message of a batch.
type SQSMessage struct {
	// MessageID names the message in the response.
	MessageID string `json:"messageId"`
	// Body is what was sent: a published event, see Decoder.
	Body string `json:"body"`
}

// SQSResponse says which messages are to be delivered again; all others can be deleted. Lambda takes it as it is, provided that the event
// source mapping has ReportBatchItemFailures.
type SQSResponse struct {
	// BatchItemFailures is never nil in a response of Batch.
	BatchItemFailures []SQSFailure `json:"batchItemFailures"`
}

// SQSFailure names a message that is to be delivered again.
type SQSFailure struct {
	ItemIdentifier string `json:"itemIdentifier"`
}
