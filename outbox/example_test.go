package outbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
)

// printer is a publisher that prints.
type printer struct{}

func (printer) Publish(_ context.Context, entries []outbox.Entry) ([]outbox.Result, error) {
	results := make([]outbox.Result, len(entries))
	for i, e := range entries {
		fmt.Println(e.Event.AggregateID, e.Event.Seq, e.Event.Type, string(e.Event.Data))
		results[i].Outcome = outbox.Published
	}
	return results, nil
}

// An order and its event are committed together, and the event is published.
func Example() {
	ctx := context.Background()
	client := memdynamo.New(memdynamo.Options{}).Client() // dynamodb.NewFromConfig(cfg) elsewhere
	if err := createShop(ctx, client); err != nil {
		log.Fatal(err)
	}
	table := outbox.Table{Name: "shop"}
	relay, err := outbox.NewRelay(client, printer{}, outbox.RelayConfig{Table: table})
	if err != nil {
		log.Fatal(err)
	}
	writer, err := outbox.NewWriter(outbox.WriterConfig{Table: table, Wake: relay.Wake})
	if err != nil {
		log.Fatal(err)
	}

	pack, err := writer.TransactItem(outbox.Event{
		ID: uuid.NewString(), Type: "order.placed", AggregateID: "order-1", Seq: 1, Time: time.Now(), Data: json.RawMessage(`{"items":3}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	putOrder := types.TransactWriteItem{Put: &types.Put{TableName: aws.String("shop"), Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "order-1"}, "SK": &types.AttributeValueMemberS{Value: "ORDER"},
		"seq": &types.AttributeValueMemberN{Value: "1"},
	}}}
	_, err = client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{putOrder, pack}})
	if err != nil {
		log.Fatal(err)
	}
	writer.Committed("order-1")

	if err := relay.RunOnce(ctx); err != nil { // relay.Run(ctx) in a process that stays
		log.Fatal(err)
	}
	// Output: order-1 1 order.placed {"items":3}
}

func createShop(ctx context.Context, client *dynamodb.Client) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:   aws.String("shop"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
	})
	return err
}
