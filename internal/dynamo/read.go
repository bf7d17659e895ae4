package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Get reads one item, strongly consistent; nil when there is none. An error that may pass wraps ErrUnavailable. One request, 1 RCU for 4 KB.
func Get(ctx context.Context, client Client, table string, key Item) (Item, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, unread(err)
	}
	if len(out.Item) == 0 {
		return nil, nil
	}
	return out.Item, nil
}

// Scan reads one page, with the errors of Get.
func Scan(ctx context.Context, client Client, input *dynamodb.ScanInput) (*dynamodb.ScanOutput, error) {
	page, err := client.Scan(ctx, input)
	if err != nil {
		return nil, unread(err)
	}
	return page, nil
}

// unread marks an error after which the same read may succeed. A refusal (HTTP 4xx other than throttling) stays as it is.
func unread(err error) error {
	if refused(err) && !passing(err) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Query reads all items that match, with the errors of Get, page after page: one request for each megabyte.
func Query(ctx context.Context, client Client, input *dynamodb.QueryInput) ([]Item, error) {
	var items []Item
	for {
		out, err := client.Query(ctx, input)
		if err != nil {
			return nil, unread(err)
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
