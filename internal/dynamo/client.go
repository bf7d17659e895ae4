package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Client is the part of *dynamodb.Client that this module calls. It is used concurrently.
type Client interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
}

// Item is a stored item, or the key of one.
type Item = map[string]types.AttributeValue

// Expr is a condition or update expression with the placeholders that it uses.
type Expr struct {
	Text   string
	Names  map[string]string
	Values Item
}

// And joins two conditions. Placeholders of one name must mean the same in both.
func (e Expr) And(other Expr) Expr {
	if e.Text == "" {
		return other
	}
	if other.Text == "" {
		return e
	}
	return Expr{
		Text:   "(" + e.Text + ") AND (" + other.Text + ")",
		Names:  merge(e.Names, other.Names),
		Values: merge(e.Values, other.Values),
	}
}

// merge returns the entries of both maps, nil for none: DynamoDB refuses an empty map of placeholders.
func merge[V any](a, b map[string]V) map[string]V {
	if len(a)+len(b) == 0 {
		return nil
	}
	m := make(map[string]V, len(a)+len(b))
	for k, v := range a {
		m[k] = v
	}
	for k, v := range b {
		m[k] = v
	}
	return m
}
