// Postconfirmation makes the account of a user who has confirmed the sign-up, as the post-confirmation trigger of a Cognito user pool. It
// may be the pre-token-generation trigger too, for users whom the first never sees.
//
// Variables: those of package deployment, and USERCORE_SIGNUP_QUEUE_URL, the queue of sign-ups whose account could not be made.
//
// Permissions: on the table dynamodb:GetItem, Query, PutItem, UpdateItem and DeleteItem; on the outbox dynamodb:PutItem; on the queue
// sqs:SendMessage.
package main

import (
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	queue := d.Required("USERCORE_SIGNUP_QUEUE_URL")
	users, err := d.Users()
	if err != nil {
		return nil, err
	}
	trigger, err := cognitosync.NewTrigger(users, sqs.NewFromConfig(d.AWS), cognitosync.TriggerConfig{QueueURL: queue, Logger: d.Logger})
	if err != nil {
		return nil, err
	}
	return function.Handler(trigger.Handle), nil
}
