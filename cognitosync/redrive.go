package cognitosync

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// Mover starts the move of a queue's messages; *sqs.Client is one.
type Mover interface {
	StartMessageMoveTask(context.Context, *sqs.StartMessageMoveTaskInput, ...func(*sqs.Options)) (*sqs.StartMessageMoveTaskOutput, error)
}

// Redrive starts to move the messages of a dead-letter queue back to the queues that they came from, and returns the handle of the move,
// with which SQS lists and cancels it. perSecond is the pace, 1 to 500 messages a second; 0 leaves it to SQS. It is for a queue that is
// the dead-letter queue of another one: for one that messages were sent to directly, use Drain. One request.
func Redrive(ctx context.Context, queues Mover, deadLetterQueueARN string, perSecond int) (string, error) {
	if perSecond < 0 || perSecond > 500 {
		return "", badConfig("Redrive: perSecond is %d, want 0 to 500", perSecond)
	}
	in := &sqs.StartMessageMoveTaskInput{SourceArn: &deadLetterQueueARN}
	if perSecond > 0 {
		in.MaxNumberOfMessagesPerSecond = aws.Int32(int32(perSecond))
	}
	out, err := queues.StartMessageMoveTask(ctx, in)
	if err != nil {
		return "", wrap("redrive", err)
	}
	return aws.ToString(out.TaskHandle), nil
}

// Receiver takes messages out of a queue; *sqs.Client is one.
type Receiver interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(context.Context, *sqs.DeleteMessageInput, ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
}

// DrainReport is what came of a Drain.
type DrainReport struct {
	// Made counts the messages whose account exists now; they are gone from the queue.
	Made int
	// Left counts the messages that failed and stay in the queue, by reason: unavailable, address_taken, invalid or corrupt.
	Left map[string]int
}

// Drain handles the messages of a queue one after another until it is empty or shows a failed message again, and deletes those that
// succeed. It is the administrator's way to see why messages fail, and to handle them after the cause is gone. The queue's visibility
// timeout should be a minute or more: it is how long a failed message stays out of sight.
//
// It returns the error of SQS, with what was done before it. Two requests to SQS for a message, one to DynamoDB.
func (d *DeadLetters) Drain(ctx context.Context, queue Receiver, queueURL string) (DrainReport, error) {
	report := DrainReport{Left: map[string]int{}}
	failed := map[string]bool{}
	for {
		out, err := queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: &queueURL, MaxNumberOfMessages: 10, WaitTimeSeconds: 2})
		if err != nil {
			return report, wrap("drain", err)
		}
		if len(out.Messages) == 0 {
			return report, nil
		}
		for _, m := range out.Messages {
			id := aws.ToString(m.MessageId)
			if failed[id] {
				return report, nil
			}
			if cause := d.Process(ctx, json.RawMessage(aws.ToString(m.Body))); cause != nil {
				failed[id] = true
				report.Left[reason(cause)]++
				continue
			}
			if err := remove(ctx, queue, queueURL, m); err != nil {
				return report, wrap("drain", err)
			}
			report.Made++
		}
	}
}

func remove(ctx context.Context, queue Receiver, queueURL string, m types.Message) error {
	_, err := queue.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queueURL, ReceiptHandle: m.ReceiptHandle})
	return err
}
