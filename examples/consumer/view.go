package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// table is the consumer's own: one item per user, under its id.
var table = consume.Table{Name: "users-view", PartitionKey: "userId"}

// statusAfter is the status after the events that carry it in full. They may overtake each other: the last one wins.
var statusAfter = map[string]string{
	"user.created":     "active",
	"user.suspended":   "suspended",
	"user.reactivated": "active",
	"user.deleted":     "deleted",
	"user.restored":    "active",
}

// view has two projections in one item, each with a position of its own.
type view struct {
	client    *dynamodb.Client
	status    *consume.State
	addresses *consume.Delta
	out       io.Writer
}

func newView(client *dynamodb.Client, out io.Writer) (*view, error) {
	status, err := consume.NewState(client, consume.StateConfig{
		Projection: consume.Projection{Table: table, SeqAttribute: "statusSeq", EventIDAttribute: "statusEventId"},
		Attributes: []string{"status"},
	})
	if err != nil {
		return nil, err
	}
	addresses, err := consume.NewDelta(client, consume.DeltaConfig{Projection: consume.Projection{Table: table}})
	if err != nil {
		return nil, err
	}
	return &view{client: client, status: status, addresses: addresses, out: out}, nil
}

// handle applies one event to the projections that it concerns. If the second has to wait, the event comes again, and the first then
// finds that it has it.
func (v *view) handle(ctx context.Context, e outbox.Event) error {
	status := "-"
	if after, carried := statusAfter[e.Type]; carried {
		outcome, err := v.status.Apply(ctx, e, consume.Item{"status": &types.AttributeValueMemberS{Value: after}})
		if err != nil {
			return err
		}
		status = outcome.String()
	}
	change, err := changeOf(e)
	if err != nil {
		return err
	}
	outcome, err := v.addresses.Apply(ctx, e, change)
	fmt.Fprintf(v.out, "  %-6s %d %-21s  status: %-9s  addresses: %s\n", e.AggregateID, e.Seq, e.Type, status, outcome)
	return err
}

// changeOf returns what the event does to the set of addresses: nothing for most, but they are counted.
func changeOf(e outbox.Event) (consume.Change, error) {
	var payload struct{ Email string }
	if err := json.Unmarshal(e.Data, &payload); err != nil {
		return consume.Change{}, err
	}
	address := consume.Item{"addresses": &types.AttributeValueMemberSS{Value: []string{payload.Email}}}
	switch e.Type {
	case "user.created", "email.added":
		return consume.Change{Add: address}, nil
	case "email.removed":
		return consume.Change{Drop: address}, nil
	default:
		return consume.Change{}, nil
	}
}

// print writes the view, users in the order of their ids.
func (v *view) print(ctx context.Context) error {
	var users []user
	pages := dynamodb.NewScanPaginator(v.client, &dynamodb.ScanInput{TableName: &table.Name})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			users = append(users, read(item))
		}
	}
	slices.SortFunc(users, func(a, b user) int { return cmp.Compare(a.id, b.id) })
	fmt.Fprintln(v.out, "view:")
	for _, u := range users {
		fmt.Fprintf(v.out, "  %-6s %-9s %v\n", u.id, u.status, u.addresses)
	}
	return nil
}

// user is one item of the view.
type user struct {
	id, status string
	addresses  []string
}

// read takes an item apart. What is missing stays empty.
func read(item consume.Item) user {
	var u user
	if v, ok := item["userId"].(*types.AttributeValueMemberS); ok {
		u.id = v.Value
	}
	if v, ok := item["status"].(*types.AttributeValueMemberS); ok {
		u.status = v.Value
	}
	if v, ok := item["addresses"].(*types.AttributeValueMemberSS); ok {
		u.addresses = slices.Sorted(slices.Values(v.Value))
	}
	return u
}

// createTable makes the table of the view.
func createTable(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            &table.Name,
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("userId"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("userId"), KeyType: types.KeyTypeHash}},
	})
	return err
}
