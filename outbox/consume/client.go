package consume

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Client is what the package calls of DynamoDB; *dynamodb.Client implements it. It is called concurrently. The client's own retries stay
// switched on: a write that is repeated because its reply was lost finds itself in the item and counts as done.
type Client interface {
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
}

// Item is a DynamoDB item, or attributes of one.
type Item = map[string]types.AttributeValue
