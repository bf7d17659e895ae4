package eventbridgepub

import (
	"context"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/usercore-go/usercore/outbox"
)

// encode returns the entry as PutEvents takes it, and its size.
func (p *Publisher) encode(e outbox.Entry) (types.PutEventsRequestEntry, int, error) {
	detail, err := p.cfg.Envelope.Encode(e.Event)
	if err != nil {
		return types.PutEventsRequestEntry{}, 0, err
	}
	encoded := types.PutEventsRequestEntry{
		EventBusName: aws.String(p.cfg.Bus),
		Source:       aws.String(p.cfg.Source),
		DetailType:   aws.String(e.Event.Type),
		Time:         aws.Time(e.Event.Time),
		Detail:       aws.String(string(detail)),
	}
	return encoded, sizeOf(encoded), nil
}

// sizeOf counts an entry as EventBridge does: 14 bytes for the time, and the texts (user guide, PutEvents entry size).
func sizeOf(e types.PutEventsRequestEntry) int {
	const timeBytes = 14
	return timeBytes + len(*e.Source) + len(*e.DetailType) + len(*e.Detail)
}

// send makes one call.
func (p *Publisher) send(ctx context.Context, entries []types.PutEventsRequestEntry) ([]outbox.Result, error) {
	out, err := p.client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: entries})
	if err != nil {
		return nil, err
	}
	results := make([]outbox.Result, len(out.Entries))
	for i, e := range out.Entries {
		results[i] = resultOf(e)
	}
	return results, nil
}

// resultOf translates the answer for one entry.
func resultOf(e types.PutEventsResultEntry) outbox.Result {
	code := aws.ToString(e.ErrorCode)
	switch {
	case code == "" && aws.ToString(e.EventId) != "":
		return outbox.Result{Outcome: outbox.Published}
	case code == "":
		return outbox.Result{Outcome: outbox.Retry, Code: "NoResult"}
	case code == "MalformedDetail" || code == "InvalidArgument":
		return outbox.Result{Outcome: outbox.Rejected, Code: code, Message: aws.ToString(e.ErrorMessage)}
	default:
		return outbox.Result{Outcome: outbox.Retry, Code: code, Message: aws.ToString(e.ErrorMessage)}
	}
}

// refused reports whether the service found the call itself to be wrong.
func refused(err error) bool {
	if response, ok := errors.AsType[*smithyhttp.ResponseError](err); ok && response.HTTPStatusCode() == http.StatusRequestEntityTooLarge {
		return true
	}
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && (api.ErrorCode() == "ValidationException" || api.ErrorCode() == "SerializationException")
}
