// Outboxpoller publishes the events of the outbox to an EventBridge bus, on a schedule of a minute. Behind the outboxstream function it
// only sweeps up: USERCORE_OUTBOX_MIN_AGE makes it leave younger events alone. Give it a timeout below a minute, so that one invocation runs
// at a time; a second one does no harm but finds the shards taken.
//
// Variables: USERCORE_OUTBOX_TABLE, and USERCORE_OUTBOX_PREFIX and USERCORE_OUTBOX_SHARDS if the writers have them; USERCORE_EVENT_BUS;
// USERCORE_SOURCE, default user-service; USERCORE_OUTBOX_MIN_AGE, as in 5m, default none.
//
// The answer says what was done: {"published":3,"failedCalls":0,"deadLettered":0,"held":0,"malformed":0}.
//
// Permissions: on the outbox dynamodb:DescribeTable, Query, PutItem, UpdateItem, DeleteItem and BatchWriteItem; on the bus events:PutEvents
// and DescribeEventBus.
package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/outbox"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	cfg := outbox.RelayConfig{Name: "lambda", MinAge: d.Duration("USERCORE_OUTBOX_MIN_AGE")}
	cfg.Table, cfg.Shards = d.Outbox()
	cfg.Logger = d.Logger
	bus, err := d.Bus()
	if err != nil {
		return nil, err
	}
	if _, err := outbox.NewRelay(d.DynamoDB(), bus, cfg); err != nil { // a wrong value shows at the start, not with the first event
		return nil, err
	}
	client := d.DynamoDB()
	return function.Handler(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		ctx, cancel := function.BeforeDeadline(ctx)
		defer cancel()
		relay, err := outbox.NewRelay(client, bus, cfg) // one for each run, so that its counts are of this run
		if err != nil {
			return nil, err
		}
		if err := relay.RunOnce(ctx); err != nil {
			return nil, err
		}
		return json.Marshal(resultOf(relay.Stats()))
	}), nil
}

// result is the answer of a run.
type result struct {
	Published    int64 `json:"published"`
	FailedCalls  int64 `json:"failedCalls"`
	DeadLettered int64 `json:"deadLettered"`
	Held         int64 `json:"held"`
	Malformed    int64 `json:"malformed"`
}

func resultOf(s outbox.Stats) result {
	return result{s.Published, s.FailedCalls, s.DeadLettered, s.Held, s.Malformed}
}
