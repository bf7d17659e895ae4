package outbox

import (
	"context"
	"errors"
	"iter"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// store is the outbox's table.
type store struct {
	client Client
	table  Table
}

// span is a part of one partition, in the order of sort keys.
type span struct {
	partition string
	// after, if not empty, is the sort key after which the span begins.
	after string
	// from and to, if not empty, are the first and the last sort key of the span, in place of after.
	from, to string
	// limit is the most items of one page; 0 leaves it to DynamoDB's 1 MiB.
	limit int32
	// only, if not empty, are the attributes to return, of which none is a key.
	only []string
}

// page reads one page of the span, strongly consistent, and returns the sort key after which the next one begins, "" if there is none.
// It costs 1 read unit per 4 KiB, at least 1.
func (s store) page(ctx context.Context, sp span) (items []item, next string, err error) {
	in := &dynamodb.QueryInput{
		TableName:                 aws.String(s.table.Name),
		ConsistentRead:            aws.Bool(true),
		KeyConditionExpression:    aws.String("#pk = :pk"),
		ExpressionAttributeNames:  map[string]string{"#pk": s.table.PartitionKey},
		ExpressionAttributeValues: item{":pk": text(sp.partition)},
	}
	if sp.limit > 0 {
		in.Limit = aws.Int32(sp.limit)
	}
	if len(sp.only) > 0 {
		in.ProjectionExpression = aws.String("#" + strings.Join(sp.only, ", #"))
		for _, name := range sp.only {
			in.ExpressionAttributeNames["#"+name] = name
		}
	}
	switch {
	case sp.from != "":
		in.KeyConditionExpression = aws.String("#pk = :pk AND #sk BETWEEN :from AND :to")
		maps.Copy(in.ExpressionAttributeValues, item{":from": text(sp.from), ":to": text(sp.to)})
		in.ExpressionAttributeNames["#sk"] = s.table.SortKey
	case sp.after != "":
		in.KeyConditionExpression = aws.String("#pk = :pk AND #sk > :after")
		in.ExpressionAttributeValues[":after"] = text(sp.after)
		in.ExpressionAttributeNames["#sk"] = s.table.SortKey
	}
	out, err := s.client.Query(ctx, in)
	if err != nil {
		return nil, "", err
	}
	return out.Items, textOf(out.LastEvaluatedKey, s.table.SortKey), nil
}

// items yields all items of the span, a page at a time. After an error it ends.
func (s store) items(ctx context.Context, sp span) iter.Seq2[item, error] {
	return func(yield func(item, error) bool) {
		for {
			page, next, err := s.page(ctx, sp)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, it := range page {
				if !yield(it, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			if sp.from == "" {
				sp.after = next
				continue
			}
			sp.from = next + "\x00" // the smallest key above, because the span includes its first
			if sp.from > sp.to {
				return
			}
		}
	}
}

// all reads the span to its end.
func (s store) all(ctx context.Context, sp span) ([]item, error) {
	var items []item
	for it, err := range s.items(ctx, sp) {
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	return items, nil
}

// change is an update of one item under a condition.
type change struct {
	key       item
	update    string
	condition string
	values    item
	// names are the attributes that the expressions use, each as #name; #pk is always there.
	names []string
}

func (c change) allNames(table Table) map[string]string {
	names := map[string]string{"#pk": table.PartitionKey}
	for _, name := range c.names {
		names["#"+name] = name
	}
	return names
}

// update makes the change. It reports false, without an error, if the condition did not hold.
func (s store) update(ctx context.Context, c change) (bool, error) {
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String(s.table.Name),
		Key:                       c.key,
		UpdateExpression:          aws.String(c.update),
		ConditionExpression:       aws.String(c.condition),
		ExpressionAttributeNames:  c.allNames(s.table),
		ExpressionAttributeValues: c.values,
	})
	if isConditionFailed(err) {
		return false, nil
	}
	return err == nil, err
}

// transact makes all writes or none. It reports false, without an error, if a condition did not hold.
func (s store) transact(ctx context.Context, actions ...types.TransactWriteItem) (bool, error) {
	_, err := s.client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	if cancelled, ok := errors.AsType[*types.TransactionCanceledException](err); ok && conditionDecided(cancelled) {
		return false, nil
	}
	return err == nil, err
}

// conditionDecided reports whether the transaction failed for its conditions alone. With a conflict among the reasons the others
// say nothing, and it may be sent again.
func conditionDecided(cancelled *types.TransactionCanceledException) bool {
	failed := false
	for _, reason := range cancelled.CancellationReasons {
		switch aws.ToString(reason.Code) {
		case "", "None":
		case "ConditionalCheckFailed":
			failed = true
		default:
			return false
		}
	}
	return failed
}

func isConditionFailed(err error) bool {
	_, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	return ok
}
