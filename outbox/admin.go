package outbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"go.opentelemetry.io/otel/metric"
)

// ErrNotFound says that there is no such dead letter.
var ErrNotFound = errors.New("outbox: no such dead letter")

// AdminConfig configures an Admin.
type AdminConfig struct {
	// Table is where the outbox lies, as the writers have it; required.
	Table Table
	// Shards is the number of shards, as the writers have it; default 16.
	Shards int
	// MeterProvider takes what Depth sees, as the metrics usercore.outbox.depth and usercore.outbox.age. Default: none.
	MeterProvider metric.MeterProvider
}

// Admin shows an operator what is in an outbox, and sends events again that could not be published. It needs no relay, and may be used
// while relays run. It is safe for concurrent use.
type Admin struct {
	store  store
	shards int
	gauges gauges
}

// NewAdmin returns an Admin, or an error that names the field that is wrong. It does no I/O.
func NewAdmin(client Client, cfg AdminConfig) (*Admin, error) {
	if client == nil {
		return nil, badConfig("the client is nil")
	}
	table, err := cfg.Table.withDefaults()
	if err != nil {
		return nil, err
	}
	shards, err := checkShards(cfg.Shards)
	if err != nil {
		return nil, err
	}
	gauges, err := newGauges(cfg.MeterProvider)
	if err != nil {
		return nil, err
	}
	return &Admin{store: store{client: client, table: table}, shards: shards, gauges: gauges}, nil
}

// Discard deletes the dead letter of the event with the number seq. Its consumers never hear of it. It returns ErrNotFound if there is
// none, and costs 1 write unit per KiB.
func (a *Admin) Discard(ctx context.Context, aggregateID string, seq int64) error {
	partition := a.store.table.dead(shardOf(aggregateID, a.shards))
	_, err := a.store.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:                aws.String(a.store.table.Name),
		Key:                      a.store.table.key(partition, packSort(aggregateID, seq)),
		ConditionExpression:      aws.String("attribute_exists(#pk)"),
		ExpressionAttributeNames: map[string]string{"#pk": a.store.table.PartitionKey},
	})
	if isConditionFailed(err) {
		return ErrNotFound
	}
	if err != nil {
		return fmt.Errorf("outbox: discard: %w", err)
	}
	return nil
}
