package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/usercore-go/usercore/cognitosync"
)

// errNoProgress ends a chain of runs that would go on for ever.
var errNoProgress = errors.New("the run ended where it began: give the function more time")

// step is where a run begins: at the token of the one before, or at the start.
type step struct {
	Token string `json:"token"`
}

// tokenOf is where the run of an event begins. The event is one of a schedule, which has no token, one step, or a batch of one message of the
// queue with a step in its body.
func tokenOf(event []byte) (string, error) {
	var in struct {
		step
		Records []struct {
			Body string `json:"body"`
		} `json:"Records"`
	}
	if err := json.Unmarshal(event, &in); err != nil {
		return "", fmt.Errorf("the event is not a JSON object: %w", err)
	}
	switch len(in.Records) {
	case 0:
		return in.Token, nil
	case 1:
		var s step
		if err := json.Unmarshal([]byte(in.Records[0].Body), &s); err != nil || s.Token == "" {
			return "", errors.New("the message has no token")
		}
		return s.Token, nil
	default:
		return "", errors.New("the event source mapping has another BatchSize than 1")
	}
}

// sender is what chain calls of *sqs.Client.
type sender interface {
	SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
}

// chain hands a run that is not complete to the next invocation.
type chain struct {
	queue sender
	url   string // empty: runs just end
}

// goOn sends the report's token, unless the run is complete. A token that is sent twice has some of the pool compared twice, which does no
// harm.
func (c chain) goOn(ctx context.Context, began string, report *cognitosync.Report) error {
	if report.Complete || c.url == "" {
		return nil
	}
	if report.Token == began {
		return errNoProgress
	}
	body, err := json.Marshal(step{report.Token})
	if err != nil {
		return err
	}
	text := string(body)
	if _, err := c.queue.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &c.url, MessageBody: &text}); err != nil {
		return fmt.Errorf("sending the token of the next run: %w", err)
	}
	return nil
}
