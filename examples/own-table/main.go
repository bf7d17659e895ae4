// Command own-table uses the packages ratelimit and outbox on a table that is not usercore's: its keys are called id and part, its TTL
// attribute is called expires, and it holds orders. First it prints what each kind of limiter decides. Then it places orders: the order, its
// event and the customer's limit are one transaction, so a refused order leaves nothing, and a stored one is announced. In the end the
// relay publishes the events.
//
//	go run ./examples/own-table
//
// Where to read: table.go has the names, limits.go the limiters, orders.go the transaction and the relay. It runs on the in-memory
// DynamoDB.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func main() {
	client := memdynamo.New(memdynamo.Options{}).Client() // in production: dynamodb.NewFromConfig(cfg)
	if err := run(context.Background(), client, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, client *dynamodb.Client, out io.Writer) error {
	if err := createTable(ctx, client); err != nil {
		return err
	}
	if err := tryLimiters(ctx, client, out); err != nil {
		return err
	}
	return tryOrders(ctx, client, out)
}
