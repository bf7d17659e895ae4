package faults_test

import (
	"context"
	"fmt"

	"github.com/usercore-go/usercore/internal/faults"
)

// The engine commits a write and its reply is lost. The SDK repeats the request, so the write happens twice.
func ExampleTransport_Next() {
	db := &engine{} // an in-process stand-in for DynamoDB
	transport, err := faults.New(db, faults.Plan{})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := newClient(transport, 3) // a dynamodb.Client with HTTPClient: &http.Client{Transport: transport}

	transport.Next(faults.LoseReply{}, faults.Ops("PutItem"))
	_, err = client.PutItem(context.Background(), put("a"))
	fmt.Println(err, transport.Counts(), len(db.received()))
	// Output:
	// <nil> map[LoseReply:1 PutItem:2] 2
}
