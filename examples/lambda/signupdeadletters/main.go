// Signupdeadletters makes the accounts that the post-confirmation trigger could not make: it handles the batches of the trigger's queue.
// The event source mapping needs ReportBatchItemFailures.
//
// Variables: those of package deployment.
//
// Permissions: on the table dynamodb:GetItem, Query, PutItem, UpdateItem and DeleteItem; on the outbox dynamodb:PutItem; on the queue
// sqs:ReceiveMessage, DeleteMessage and GetQueueAttributes.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	users, err := d.Users()
	if err != nil {
		return nil, err
	}
	letters, err := cognitosync.NewDeadLetters(users, d.Logger)
	if err != nil {
		return nil, err
	}
	return function.Handler(letters.Handle), nil
}
