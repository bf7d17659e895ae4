package sqspub_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/sqspub"
)

// The relay hands entries to the publisher; here one is published by hand.
func Example() {
	fake := newQueue()
	client := fake.client() // sqs.NewFromConfig(cfg) elsewhere
	publisher, err := sqspub.New(client, sqspub.Config{
		QueueURL: "https://sqs.eu-central-1.amazonaws.com/123456789012/users.fifo",
		Source:   "user-service",
	})
	if err != nil {
		log.Fatal(err)
	}
	results, err := publisher.Publish(context.Background(), []outbox.Entry{{
		Event: outbox.Event{
			ID: "0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01", Type: "user.created", AggregateID: "u1", Seq: 1,
			Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		},
		GroupID: "u1", DeduplicationID: "0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01",
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results[0].Outcome == outbox.Published)
	fmt.Println(fake.taken[0].MessageGroupId, fake.taken[0].MessageDeduplicationId)
	// Output:
	// true
	// u1 0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01
}
