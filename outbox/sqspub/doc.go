// Package sqspub publishes the events of an outbox to an Amazon SQS FIFO queue.
//
//	publisher, err := sqspub.New(sqs.NewFromConfig(cfg), sqspub.Config{
//		QueueURL: "https://sqs.eu-central-1.amazonaws.com/123456789012/users.fifo",
//		Source:   "user-service",
//		Envelope: outbox.Envelope{AggregateField: "userId"},
//	})
//
// # What a consumer sees
//
// The body has the shape in which EventBridge delivers an event to a queue: id, source, detail-type, time, and detail with the event's
// envelope, so a consumer reads both alike. MessageGroupId is the aggregate's id: SQS keeps the order within it, and hands out the next
// message of a group only when the one before is deleted. MessageDeduplicationId is the event's id: an event that is sent again within
// five minutes is dropped by SQS. Later repetitions come through, so consumers still go by seq and eventId, as package consume does.
//
// # Results
//
//	answer                                             result
//	in the list Successful                             Published
//	InvalidMessageContents, InvalidParameterValue,
//	or a message above Config.MaxMessageBytes          Rejected
//	any other code, or in neither list                 Retry
//	a call refused as too long or for its contents     halved until the message is found: that one is Rejected
//	a call that failed otherwise                       an error, or Retry for its entries if others of the same Publish have results
//
// # Limits and cost
//
// SendMessageBatch takes 10 messages and 1 MiB (API reference), and is billed per 64 KiB. A FIFO queue takes 3,000 messages per second in
// batches, and more with high throughput for FIFO queues.
//
// Permissions: sqs:SendMessage, and sqs:GetQueueAttributes for the check at start.
package sqspub
