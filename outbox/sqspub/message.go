package sqspub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/usercore-go/usercore/outbox"
)

// body is a message in the shape of an event that EventBridge delivers.
type body struct {
	Version    string          `json:"version"`
	ID         string          `json:"id"`
	DetailType string          `json:"detail-type"`
	Source     string          `json:"source"`
	Time       string          `json:"time"`
	Detail     json.RawMessage `json:"detail"`
}

// encode returns the entry as a message, and the size of its body.
func (p *Publisher) encode(e outbox.Entry) (types.SendMessageBatchRequestEntry, int, error) {
	detail, err := p.cfg.Envelope.Encode(e.Event)
	if err != nil {
		return types.SendMessageBatchRequestEntry{}, 0, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(body{
		Version:    "0",
		ID:         e.Event.ID,
		DetailType: e.Event.Type,
		Source:     p.cfg.Source,
		Time:       e.Event.Time.UTC().Format(time.RFC3339),
		Detail:     detail,
	})
	if err != nil {
		return types.SendMessageBatchRequestEntry{}, 0, err
	}
	text := escapeForSQS(strings.TrimSuffix(out.String(), "\n"))
	return types.SendMessageBatchRequestEntry{
		MessageBody:            aws.String(text),
		MessageGroupId:         aws.String(e.GroupID),
		MessageDeduplicationId: aws.String(e.DeduplicationID),
	}, len(text), nil
}

// escapeForSQS writes the two characters that JSON may hold as they are and SQS refuses, U+FFFE and U+FFFF, as escapes.
func escapeForSQS(text string) string {
	return strings.NewReplacer("\uFFFE", `\ufffe`, "\uFFFF", `\uffff`).Replace(text)
}

// send makes one call. Entries are named by their place in it.
func (p *Publisher) send(ctx context.Context, entries []types.SendMessageBatchRequestEntry) ([]outbox.Result, error) {
	for i := range entries {
		entries[i].Id = aws.String(strconv.Itoa(i))
	}
	out, err := p.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: aws.String(p.cfg.QueueURL), Entries: entries})
	if err != nil {
		return nil, err
	}
	results := make([]outbox.Result, len(entries))
	for i := range results {
		results[i].Code = "NoResult"
	}
	for _, e := range out.Successful {
		set(results, e.Id, outbox.Result{Outcome: outbox.Published})
	}
	for _, e := range out.Failed {
		set(results, e.Id, resultOf(e))
	}
	return results, nil
}

// set stores the result of the entry with the id; an id that was not sent is left out.
func set(results []outbox.Result, id *string, r outbox.Result) {
	if i, err := strconv.Atoi(aws.ToString(id)); err == nil && i >= 0 && i < len(results) {
		results[i] = r
	}
}

// resultOf translates the answer for one message that was not taken.
func resultOf(e types.BatchResultErrorEntry) outbox.Result {
	r := outbox.Result{Code: shortCode(aws.ToString(e.Code)), Message: aws.ToString(e.Message)}
	switch r.Code {
	case "InvalidMessageContents", "InvalidParameterValue":
		r.Outcome = outbox.Rejected
	}
	return r
}

// refused reports whether the service found the call itself to be wrong.
func refused(err error) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	if !ok {
		return false
	}
	switch shortCode(api.ErrorCode()) {
	case "BatchRequestTooLong", "InvalidMessageContents", "InvalidParameterValue":
		return true
	default:
		return false
	}
}

// shortCode takes the name space off a code, which SQS still has on some.
func shortCode(code string) string { return strings.TrimPrefix(code, "AWS.SimpleQueueService.") }
