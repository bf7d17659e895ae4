// Command consumer keeps a view of users that it makes of their events alone: whether each is active, and their addresses. The events
// come from a queue that shuffles, repeats and delays them. It runs on the in-memory DynamoDB, and prints what becomes of each delivery
// and the view at the end, which is the same in whatever order the events come.
//
//	go run ./examples/consumer
//	go run ./examples/consumer -seed 7
//
// Where to read: view.go has the consumer itself, queue.go and history.go stand in for SQS and the producer.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/outbox/consume"
)

func main() {
	seed := flag.Uint64("seed", 1, "selects the order of the deliveries")
	flag.Parse()
	client := memdynamo.New(memdynamo.Options{}).Client() // in production: dynamodb.NewFromConfig(cfg)
	if err := run(context.Background(), client, *seed, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, client *dynamodb.Client, seed uint64, out io.Writer) error {
	if err := createTable(ctx, client); err != nil {
		return err
	}
	v, err := newView(client, out)
	if err != nil {
		return err
	}
	batch, err := consume.NewBatch(v.handle, consume.BatchConfig{
		Decoder:     consume.Decoder{Envelope: envelope},
		Concurrency: 1, // for lines in order; a consumer that does not print leaves it out
		OnFailure: func(_ context.Context, messageID string, err error) {
			fmt.Fprintf(out, "  %s goes back to the queue: %v\n", messageID, err)
		},
	})
	if err != nil {
		return err
	}
	q, err := newQueue(rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return err
	}
	if err := poll(ctx, q, batch, out); err != nil {
		return err
	}
	return v.print(ctx)
}

// poll is what Lambda does: it receives batches, and deletes the messages that the response does not name.
func poll(ctx context.Context, q *queue, batch *consume.Batch, out io.Writer) error {
	for number := 1; !q.empty(); number++ {
		messages := q.receive()
		fmt.Fprintf(out, "batch %d: %d messages\n", number, len(messages))
		response, err := batch.Process(ctx, consume.SQSEvent{Records: messages})
		if err != nil {
			return err
		}
		q.settle(messages, response)
	}
	return nil
}
