package outboxtest_test

import (
	"context"
	"fmt"

	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/outboxtest"
)

// A recorder fails one event once, and keeps the others.
func ExampleRecorder() {
	failed := false
	recorder := &outboxtest.Recorder{Answer: func(e outbox.Entry) outbox.Result {
		if e.Event.Seq == 2 && !failed {
			failed = true
			return outbox.Result{Code: "InternalFailure"}
		}
		return outbox.Result{Outcome: outbox.Published}
	}}
	entries := outboxtest.Entries(3)
	results, err := recorder.Publish(context.Background(), entries)
	fmt.Println(results[1].Code, err)
	for _, e := range recorder.Events() {
		fmt.Println(e.AggregateID, e.Seq)
	}
	// Output:
	// InternalFailure <nil>
	// aggregate-0 1
	// aggregate-2 3
}
