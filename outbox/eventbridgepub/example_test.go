package eventbridgepub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/eventbridgepub"
)

// The relay hands entries to the publisher; here one is published by hand.
func Example() {
	fake := newBus()
	client := fake.client() // eventbridge.NewFromConfig(cfg) elsewhere
	publisher, err := eventbridgepub.New(client, eventbridgepub.Config{
		Bus:      "users",
		Source:   "user-service",
		Envelope: outbox.Envelope{AggregateField: "userId"},
	})
	if err != nil {
		log.Fatal(err)
	}
	results, err := publisher.Publish(context.Background(), []outbox.Entry{{Event: outbox.Event{
		ID: "0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01", Type: "email.added", AggregateID: "u1", Seq: 3,
		Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Data: json.RawMessage(`{"emailId":"e1"}`),
	}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(results[0].Outcome == outbox.Published)
	fmt.Println(fake.taken[0].Source, fake.taken[0].DetailType)
	fmt.Println(fake.taken[0].Detail)
	// Output:
	// true
	// user-service email.added
	// {"userId":"u1","emailId":"e1","timestamp":"2026-03-04T05:06:07.000Z","eventId":"0b0f9d5e-5a80-4b52-9c57-3c1e0a6f2f01","version":"1.0","seq":3,"metadata":{"correlationId":"","environment":""}}
}
