package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/ratelimit"
)

// ordersAnHour is how many orders a customer may place in any hour.
const ordersAnHour = 2

var errExists = errors.New("the order exists")

// limitedError says when the customer may order again.
type limitedError struct{ retryAfter time.Duration }

func (e *limitedError) Error() string {
	return fmt.Sprintf("limit reached, try again in %v", e.retryAfter.Round(time.Minute))
}

// shop places orders.
type shop struct {
	client *dynamodb.Client
	events *outbox.Writer
	limit  *ratelimit.SlidingWindow
}

// tryOrders places three orders where two are allowed, one of them twice, and publishes what is to be told.
func tryOrders(ctx context.Context, client *dynamodb.Client, out io.Writer) error {
	envelope := outbox.Envelope{AggregateField: "orderId"}
	events, err := outbox.NewWriter(outbox.WriterConfig{Table: outboxTable(), Envelope: envelope})
	if err != nil {
		return err
	}
	limit, err := ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{Table: limitsTable(), Limit: ordersAnHour, Window: time.Hour})
	if err != nil {
		return err
	}
	s := &shop{client: client, events: events, limit: limit}
	for _, id := range []string{"o-1", "o-1", "o-2", "o-3"} {
		outcome := "placed"
		if err := s.place(ctx, id, "dana"); err != nil {
			outcome = err.Error()
		}
		fmt.Fprintf(out, "order %s: %s\n", id, outcome)
	}
	relay, err := outbox.NewRelay(client, printer{out: out, envelope: envelope}, outbox.RelayConfig{Table: outboxTable()})
	if err != nil {
		return err
	}
	return relay.RunOnce(ctx) // a service runs relay.Run beside its requests
}

// place stores an order with its event, and charges the customer's limit: all of it, or nothing.
func (s *shop) place(ctx context.Context, id, customer string) error {
	now := time.Now()
	data, err := json.Marshal(map[string]string{"customer": customer})
	if err != nil {
		return err
	}
	event, err := s.events.TransactItem(outbox.Event{
		ID: uuid.NewString(), Type: "order.placed", AggregateID: id, Seq: 1, Time: now, Data: data,
	})
	if err != nil {
		return err
	}
	admission, denial := s.limit.TransactItem(ratelimit.Key("order", customer), now)
	order := types.TransactWriteItem{Put: &types.Put{
		TableName: aws.String(tableName),
		Item: map[string]types.AttributeValue{
			partitionKey: &types.AttributeValueMemberS{Value: "order/" + id}, sortKey: &types.AttributeValueMemberS{Value: "order"},
			"customer": &types.AttributeValueMemberS{Value: customer},
		},
		ConditionExpression: aws.String("attribute_not_exists(" + partitionKey + ")"),
	}}
	_, err = s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{order, admission, event},
	})
	if err != nil {
		return refusal(err, denial)
	}
	s.events.Committed(id)
	return nil
}

// refusal is what a failed transaction means, by the place of the action that failed: the order first, then the limit.
func refusal(err error, denial func(old map[string]types.AttributeValue) ratelimit.Decision) error {
	cancelled, isCancelled := errors.AsType[*types.TransactionCanceledException](err)
	if !isCancelled {
		return err
	}
	failed := func(i int) bool {
		return aws.ToString(cancelled.CancellationReasons[i].Code) == "ConditionalCheckFailed"
	}
	switch {
	case failed(0):
		return errExists
	case failed(1):
		return &limitedError{denial(cancelled.CancellationReasons[1].Item).RetryAfter}
	}
	return err
}

// printer is an outbox.Publisher in place of a bus.
type printer struct {
	out      io.Writer
	envelope outbox.Envelope
}

// Publish prints the events as a bus would hand them to consumers.
func (p printer) Publish(_ context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	for i, entry := range entries {
		detail, err := p.envelope.Encode(entry.Event)
		if err != nil {
			results[i] = outbox.Result{Outcome: outbox.Rejected, Code: "Malformed", Message: err.Error()}
			continue
		}
		if _, err := fmt.Fprintf(p.out, "published %s: %s\n", entry.Event.Type, detail); err != nil {
			return nil, err
		}
		results[i].Outcome = outbox.Published
	}
	return results, nil
}
