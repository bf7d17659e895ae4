package suite

import (
	"context"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// stripper takes conditions out of transactions, to show that a test fails without them.
type stripper struct {
	*dynamodb.Client
	strip func(part string) bool
}

// TransactWriteItems sends the transaction without the conditions that are to be stripped.
func (s stripper) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	if s.strip == nil {
		return s.Client.TransactWriteItems(ctx, in, opts...)
	}
	stripped := *in
	stripped.TransactItems = make([]types.TransactWriteItem, len(in.TransactItems))
	for i, action := range in.TransactItems {
		stripped.TransactItems[i] = action
		if s.strip(PartName(action)) {
			stripped.TransactItems[i] = withoutCondition(action)
		}
	}
	return s.Client.TransactWriteItems(ctx, &stripped, opts...)
}

// PartName names an action by what it does and to which kind of item, as in "Put CLAIM".
func PartName(action types.TransactWriteItem) string {
	kind := func(key map[string]types.AttributeValue) string {
		sk, _ := key["SK"].(*types.AttributeValueMemberS)
		if sk == nil {
			return "?"
		}
		name, _, _ := strings.Cut(sk.Value, "#")
		return name
	}
	switch {
	case action.Put != nil:
		return "Put " + kind(action.Put.Item)
	case action.Update != nil:
		return "Update " + kind(action.Update.Key)
	case action.Delete != nil:
		return "Delete " + kind(action.Delete.Key)
	case action.ConditionCheck != nil:
		return "Check " + kind(action.ConditionCheck.Key)
	}
	return "?"
}

// withoutCondition is the action without its condition and without the placeholders that only the condition used. A
// ConditionCheck, which cannot be without one, gets a condition that always holds.
func withoutCondition(action types.TransactWriteItem) types.TransactWriteItem {
	switch {
	case action.Put != nil:
		put := *action.Put
		put.ConditionExpression, put.ExpressionAttributeNames, put.ExpressionAttributeValues = nil, nil, nil
		return types.TransactWriteItem{Put: &put}
	case action.Delete != nil:
		del := *action.Delete
		del.ConditionExpression, del.ExpressionAttributeNames, del.ExpressionAttributeValues = nil, nil, nil
		return types.TransactWriteItem{Delete: &del}
	case action.Update != nil:
		update := *action.Update
		update.ConditionExpression = nil
		update.ExpressionAttributeNames = used(*update.UpdateExpression, update.ExpressionAttributeNames)
		update.ExpressionAttributeValues = used(*update.UpdateExpression, update.ExpressionAttributeValues)
		return types.TransactWriteItem{Update: &update}
	}
	check := *action.ConditionCheck
	check.ConditionExpression = aws.String("attribute_exists(PK) OR attribute_not_exists(PK)")
	check.ExpressionAttributeNames, check.ExpressionAttributeValues = nil, nil
	return types.TransactWriteItem{ConditionCheck: &check}
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// used are the placeholders that an expression has.
func used[V any](expression string, placeholders map[string]V) map[string]V {
	var kept map[string]V
	for _, name := range placeholder.FindAllString(expression, -1) {
		if v, ok := placeholders[name]; ok {
			if kept == nil {
				kept = map[string]V{}
			}
			kept[name] = v
		}
	}
	return kept
}
