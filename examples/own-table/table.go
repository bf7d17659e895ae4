package main

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/ratelimit"
)

// The table that was there before: its names, and where the packages find their way in it. Partition keys of the orders begin with order/.
const (
	tableName    = "legacy"
	partitionKey = "id"
	sortKey      = "part"
)

// limitsTable is where the limiters keep their items.
func limitsTable() ratelimit.Table {
	return ratelimit.Table{
		Name: tableName, PartitionKey: partitionKey, SortKey: sortKey, TTLAttribute: "expires", KeyPrefix: "limit/",
	}
}

// outboxTable is where events wait to be published.
func outboxTable() outbox.Table {
	return outbox.Table{Name: tableName, PartitionKey: partitionKey, SortKey: sortKey, KeyPrefix: "event/"}
}

// createTable makes the foreign table.
func createTable(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   aws.String(tableName),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String(partitionKey), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String(sortKey), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(partitionKey), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sortKey), KeyType: types.KeyTypeRange},
		},
	})
	return err
}
