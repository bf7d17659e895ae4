package cognitosync

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Queue takes dead letters; *sqs.Client is one. A message may be sent twice.
type Queue interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// createUserRecord is the type of a dead letter that asks for an account.
const createUserRecord = "CREATE_USER_RECORD"

// DeadLetter is the message of a trigger that could not make an account, as it stands in the queue. It holds the user's address, so the
// queue is to be encrypted and its readers few.
type DeadLetter struct {
	// Type is CREATE_USER_RECORD.
	Type    string            `json:"type"`
	Payload DeadLetterPayload `json:"payload"`
	// UserPoolID and TriggerSource tell where the user came from; empty in messages of others.
	UserPoolID    string `json:"userPoolId,omitempty"`
	TriggerSource string `json:"triggerSource,omitempty"`
	// Reason is why the account was not made: unavailable, address_taken, invalid or corrupt.
	Reason string `json:"reason,omitempty"`
	// FailedAt is when the trigger gave up.
	FailedAt time.Time `json:"failedAt,omitzero"`
}

// DeadLetterPayload is the user to be made, as far as the provider has told. A message without emailVerified has an unverified address.
type DeadLetterPayload struct {
	Sub           string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified bool   `json:"emailVerified"`
	Username      string `json:"username,omitempty"`
	FirstName     string `json:"firstName,omitempty"`
	LastName      string `json:"lastName,omitempty"`
}

func newDeadLetter(e triggerEvent, cause error, now time.Time) DeadLetter {
	id := e.identity
	return DeadLetter{
		Type: createUserRecord,
		Payload: DeadLetterPayload{
			Sub: id.UserID, Email: id.Email, EmailVerified: id.EmailVerified,
			Username: id.Username, FirstName: id.FirstName, LastName: id.LastName,
		},
		UserPoolID: e.UserPoolID, TriggerSource: e.TriggerSource,
		Reason: reason(cause), FailedAt: now.UTC().Truncate(time.Millisecond),
	}
}

// parseDeadLetter reads a message; it returns ErrBadEvent for what is not one.
func parseDeadLetter(body []byte) (Identity, error) {
	var letter DeadLetter
	if err := json.Unmarshal(body, &letter); err != nil {
		return Identity{}, fmt.Errorf("%w: a dead letter is not JSON of the expected shape", ErrBadEvent)
	}
	if letter.Type != createUserRecord {
		return Identity{}, fmt.Errorf("%w: a dead letter has an unknown type", ErrBadEvent)
	}
	p := letter.Payload
	return Identity{
		UserID: p.Sub, Username: p.Username, Email: p.Email, EmailVerified: p.EmailVerified,
		FirstName: p.FirstName, LastName: p.LastName,
	}, nil
}

// send hands a dead letter to the queue, within the time of ctx.
func (l DeadLetter) send(ctx context.Context, queue Queue, url string, pace *pacer) error {
	body, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return pace.do(ctx, func() error {
		_, err := queue.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &url, MessageBody: aws.String(string(body))})
		return err
	})
}
