package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Get reads one item, strongly consistent; nil when there is none. One request, 1 RCU for 4 KB.
func Get(ctx context.Context, client Client, table string, key Item) (Item, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	return out.Item, nil
}

// Query reads all items that match, page after page: one request for each megabyte.
func Query(ctx context.Context, client Client, input *dynamodb.QueryInput) ([]Item, error) {
	var items []Item
	for {
		out, err := client.Query(ctx, input)
		if err != nil {
			return nil, err
		}
		items = append(items, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return items, nil
		}
		next := *input
		next.ExclusiveStartKey = out.LastEvaluatedKey
		input = &next
	}
}
