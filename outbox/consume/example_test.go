package consume_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

// profiles makes the table of a consumer, whose key is userId.
func profiles() *dynamodb.Client {
	client := memdynamo.New(memdynamo.Options{}).Client() // in production: dynamodb.NewFromConfig(cfg)
	_, err := client.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:            aws.String("profiles"),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("userId"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("userId"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// A consumer that wants to know which users are suspended, behind a queue of Lambda. The later event comes first.
func Example() {
	status, err := consume.NewState(profiles(), consume.StateConfig{
		Projection: consume.Projection{Table: consume.Table{Name: "profiles", PartitionKey: "userId"}},
		Attributes: []string{"status"},
	})
	if err != nil {
		log.Fatal(err)
	}
	after := map[string]string{"user.suspended": "suspended", "user.reactivated": "active"}
	batch, err := consume.NewBatch(func(ctx context.Context, e outbox.Event) error {
		outcome, err := status.Apply(ctx, e, consume.Item{"status": &types.AttributeValueMemberS{Value: after[e.Type]}})
		fmt.Println(e.Type, outcome)
		return err
	}, consume.BatchConfig{
		Decoder:     consume.Decoder{Envelope: outbox.Envelope{AggregateField: "userId"}},
		Independent: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	const message = `{"detail-type":"user.%s","detail":{"userId":"dana","eventId":"%s","seq":%d,"timestamp":"2026-01-02T03:04:05Z"}}`
	for _, body := range []string{
		fmt.Sprintf(message, "reactivated", "e-2", 2), fmt.Sprintf(message, "suspended", "e-1", 1), fmt.Sprintf(message, "reactivated", "e-2", 2),
	} {
		response, err := batch.Process(context.Background(), consume.SQSEvent{
			Records: []consume.SQSMessage{{MessageID: "m-1", Body: body}},
		})
		if err != nil {
			log.Fatal(err)
		}
		answer, err := json.Marshal(response)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(answer))
	}
	// Output:
	// user.reactivated applied
	// {"batchItemFailures":[]}
	// user.suspended stale
	// {"batchItemFailures":[]}
	// user.reactivated duplicate
	// {"batchItemFailures":[]}
}

// A consumer that counts the addresses of a user. It also gets events that mean nothing to it, and applies them without a change.
func ExampleDelta_Apply() {
	addresses, err := consume.NewDelta(profiles(), consume.DeltaConfig{
		Projection: consume.Projection{Table: consume.Table{Name: "profiles", PartitionKey: "userId"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	count := func(n string) consume.Change {
		return consume.Change{Add: consume.Item{"addresses": &types.AttributeValueMemberN{Value: n}}}
	}
	changes := map[string]consume.Change{"email.added": count("1"), "email.removed": count("-1")}
	for _, e := range []outbox.Event{
		{ID: "e-2", Type: "email.added", AggregateID: "dana", Seq: 2},
		{ID: "e-1", Type: "user.updated", AggregateID: "dana", Seq: 1},
		{ID: "e-2", Type: "email.added", AggregateID: "dana", Seq: 2},
	} {
		outcome, err := addresses.Apply(context.Background(), e, changes[e.Type])
		fmt.Println(outcome, err)
	}
	// Output:
	// gap consume: an earlier event is missing: event 2 of dana, after event 0
	// applied <nil>
	// applied <nil>
}

// A mail that is sent when a user is suspended.
func ExampleEffects_Do() {
	mails, err := consume.NewEffects(profiles(), consume.EffectsConfig{Table: consume.Table{Name: "profiles", PartitionKey: "userId"}})
	if err != nil {
		log.Fatal(err)
	}
	e := outbox.Event{ID: "e-1", Type: "user.suspended", AggregateID: "dana", Seq: 1}
	for range 2 {
		outcome, err := mails.Do(context.Background(), e, func(_ context.Context, c consume.Claim) error {
			fmt.Println("mail with the idempotency key", c.IdempotencyKey)
			return nil
		})
		fmt.Println(outcome, err)
	}
	// Output:
	// mail with the idempotency key e-1
	// applied <nil>
	// duplicate <nil>
}
