package dynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/telemetry"
)

// Get reads one item, strongly consistent; nil when there is none. An error that may pass wraps ErrUnavailable. One request, 1 RCU for 4 KB.
func Get(ctx context.Context, client Client, table string, key Item) (Item, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return nil, Unread(ctx, err)
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
		return nil, Unread(ctx, err)
	}
	return page, nil
}

// Unread is the error of a read that failed: ErrUnavailable with it when the same read may succeed later. A refusal (HTTP 4xx other than throttling) stays as it is.
func Unread(ctx context.Context, err error) error {
	telemetry.From(ctx).Refused(reasons(err)...)
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
			return nil, Unread(ctx, err)
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

// BatchClient reads items by their keys.
type BatchClient interface {
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
}

// mostKeys is how many keys a BatchGetItem takes (API reference).
const mostKeys = 100

// BatchGet reads the items under keys, strongly consistent, in no order, with the errors of Get. A key may come twice; what is not there is
// left out. One request for each hundred keys, and for each that DynamoDB cuts short; 1 RCU for 4 KB of each item.
func BatchGet(ctx context.Context, client BatchClient, table string, keys []Item) ([]Item, error) {
	var items []Item
	for chunk := range slices.Chunk(distinct(keys), mostKeys) {
		var wait Backoff
		for left := chunk; ; {
			out, err := client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
				RequestItems: map[string]types.KeysAndAttributes{table: {Keys: left, ConsistentRead: aws.Bool(true)}},
			})
			if err != nil {
				return nil, Unread(ctx, err)
			}
			for _, found := range out.Responses { // of the one table, whether it was asked for by name or ARN
				items = append(items, found...)
			}
			if left = nil; len(out.UnprocessedKeys) == 0 {
				break
			}
			for _, rest := range out.UnprocessedKeys {
				left = rest.Keys
			}
			if err := wait.Pause(ctx, errUnprocessed); err != nil {
				return nil, err
			}
		}
	}
	return items, nil
}

var errUnprocessed = errors.New("the batch is not complete")

// distinct drops repeated keys, which BatchGetItem refuses. All attributes of a key are strings here.
func distinct(keys []Item) []Item {
	seen := make(map[string]bool, len(keys))
	return slices.DeleteFunc(slices.Clone(keys), func(key Item) bool {
		name := ""
		for _, attribute := range slices.Sorted(maps.Keys(key)) {
			if s, ok := key[attribute].(*types.AttributeValueMemberS); ok {
				name += s.Value + "\x00"
			}
		}
		had := seen[name]
		seen[name] = true
		return had
	})
}
