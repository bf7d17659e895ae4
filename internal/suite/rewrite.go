package suite

import (
	"context"
	"regexp"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// rewriter lets a test see and change transactions on their way.
type rewriter struct {
	*dynamodb.Client
	rewrites []Rewrite
}

// TransactWriteItems sends what the rewrites make of the transaction.
func (r rewriter) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, opts ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, rewrite := range r.rewrites {
		in = rewrite(ctx, in)
	}
	return r.Client.TransactWriteItems(ctx, in, opts...)
}

// outboxPrefix begins the partition keys of event packs, whose sort keys begin with an account's id.
const outboxPrefix = "OUTBOX#"

// PartName names an action by what it does and to which kind of item, as in "Put CLAIM".
func PartName(action types.TransactWriteItem) string {
	kind := func(key map[string]types.AttributeValue) string {
		pk, _ := key["PK"].(*types.AttributeValueMemberS)
		sk, _ := key["SK"].(*types.AttributeValueMemberS)
		if pk == nil || sk == nil {
			return "?"
		}
		if strings.HasPrefix(pk.Value, outboxPrefix) {
			return "OUTBOX"
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

// Condition is the condition of an action with the names of its placeholders, "" for none.
func Condition(action types.TransactWriteItem) (text string, names map[string]string) {
	switch {
	case action.Put != nil:
		return aws.ToString(action.Put.ConditionExpression), action.Put.ExpressionAttributeNames
	case action.Update != nil:
		return aws.ToString(action.Update.ConditionExpression), action.Update.ExpressionAttributeNames
	case action.Delete != nil:
		return aws.ToString(action.Delete.ConditionExpression), action.Delete.ExpressionAttributeNames
	case action.ConditionCheck != nil:
		return aws.ToString(action.ConditionCheck.ConditionExpression), action.ConditionCheck.ExpressionAttributeNames
	}
	return "", nil
}

// always is a condition for a ConditionCheck that is to check nothing: it cannot be without one.
const always = "attribute_exists(PK) OR attribute_not_exists(PK)"

// WithCondition is the action under another condition, "" for none, which is a part of its own: placeholders that neither
// the condition nor the update uses are left out.
func WithCondition(action types.TransactWriteItem, text string) types.TransactWriteItem {
	var condition *string
	if text != "" {
		condition = &text
	}
	switch {
	case action.Put != nil:
		put := *action.Put
		put.ConditionExpression = condition
		put.ExpressionAttributeNames = used(text, put.ExpressionAttributeNames)
		put.ExpressionAttributeValues = used(text, put.ExpressionAttributeValues)
		return types.TransactWriteItem{Put: &put}
	case action.Delete != nil:
		del := *action.Delete
		del.ConditionExpression = condition
		del.ExpressionAttributeNames = used(text, del.ExpressionAttributeNames)
		del.ExpressionAttributeValues = used(text, del.ExpressionAttributeValues)
		return types.TransactWriteItem{Delete: &del}
	case action.Update != nil:
		update := *action.Update
		update.ConditionExpression = condition
		both := *update.UpdateExpression + " " + text
		update.ExpressionAttributeNames = used(both, update.ExpressionAttributeNames)
		update.ExpressionAttributeValues = used(both, update.ExpressionAttributeValues)
		return types.TransactWriteItem{Update: &update}
	}
	check := *action.ConditionCheck
	if text == "" {
		text = always
	}
	check.ConditionExpression = &text
	check.ExpressionAttributeNames = used(text, check.ExpressionAttributeNames)
	check.ExpressionAttributeValues = used(text, check.ExpressionAttributeValues)
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
