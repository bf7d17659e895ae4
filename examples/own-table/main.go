// Command own-table limits rates on a table that is not usercore's: its keys are called id and part, its TTL attribute
// is called expires, and it has other items too. It runs on the in-memory DynamoDB and prints what each limiter decides.
//
//	go run ./examples/own-table
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
)

func main() {
	client := memdynamo.New(memdynamo.Options{}).Client() // in production: dynamodb.NewFromConfig(cfg)
	if err := run(context.Background(), client, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// legacy is how the limiters find their way in the foreign table.
var legacy = ratelimit.Table{
	Name: "legacy", PartitionKey: "id", SortKey: "part", TTLAttribute: "expires", KeyPrefix: "limit/",
}

func run(ctx context.Context, client *dynamodb.Client, out io.Writer) error {
	if err := createTable(ctx, client); err != nil {
		return err
	}
	limiters, err := newLimiters(client)
	if err != nil {
		return err
	}
	for _, l := range limiters {
		for attempt := 1; attempt <= 4; attempt++ {
			d, err := l.limiter.Allow(ctx, ratelimit.Key("login", "dana"))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%-14s attempt %d: allowed %-5v remaining %d\n", l.name, attempt, d.Allowed, d.Remaining)
		}
	}
	return nil
}

type named struct {
	name    string
	limiter ratelimit.Limiter
}

// newLimiters makes one limiter of each kind, three an hour.
func newLimiters(client *dynamodb.Client) ([]named, error) {
	bucket, err := ratelimit.NewTokenBucket(client, ratelimit.BucketConfig{Table: legacy, Rate: 3, Per: time.Hour})
	if err != nil {
		return nil, err
	}
	sliding, err := ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{Table: legacy, Limit: 3, Window: time.Hour})
	if err != nil {
		return nil, err
	}
	fixed, err := ratelimit.NewFixedWindow(client, ratelimit.FixedConfig{Table: legacy, Limit: 3, Window: 24 * time.Hour})
	if err != nil {
		return nil, err
	}
	return []named{{"token bucket", bucket}, {"sliding window", sliding}, {"fixed window", fixed}}, nil
}

// createTable makes the foreign table.
func createTable(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   &legacy.Name,
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("part"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("part"), KeyType: types.KeyTypeRange},
		},
	})
	return err
}
