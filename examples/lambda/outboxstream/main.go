// Outboxstream publishes the events of the outbox to an EventBridge bus as they are committed, behind the stream of the outbox's table.
// The event source mapping needs ReportBatchItemFailures, StartingPosition TRIM_HORIZON and ParallelizationFactor 1. Run the
// outboxpoller with USERCORE_OUTBOX_MIN_AGE beside it: it publishes what the stream leaves.
//
// Variables: USERCORE_OUTBOX_TABLE, and USERCORE_OUTBOX_PREFIX and USERCORE_OUTBOX_SHARDS if the writers have them; USERCORE_EVENT_BUS;
// USERCORE_SOURCE, default user-service.
//
// Permissions: on the outbox dynamodb:DescribeTable, Query, PutItem, UpdateItem, DeleteItem and BatchWriteItem; on its stream
// dynamodb:DescribeStream, GetRecords, GetShardIterator and ListStreams; on the bus events:PutEvents and DescribeEventBus.
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
	var cfg outbox.StreamConfig
	cfg.Table, cfg.Shards = d.Outbox()
	cfg.Logger = d.Logger
	bus, err := d.Bus()
	if err != nil {
		return nil, err
	}
	stream, err := outbox.NewStreamHandler(d.DynamoDB(), bus, cfg)
	if err != nil {
		return nil, err
	}
	return function.Handler(func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
		response, err := stream.Handle(ctx, event)
		if err != nil {
			return nil, err
		}
		return json.Marshal(response)
	}), nil
}
