// Reconciler compares the user pool with the table, on a schedule of a day, and repairs what it is told to. Its answer is the report of
// package cognitosync, and so is a log record.
//
// A run ends in order before the function's timeout. Its report then has complete false and a token, which the function sends to a queue of
// its own; the message starts it again, and it goes on from there. So a pool may be as large as it likes, and a function that dies goes on
// from the message before, when it is visible again. Without a queue the run just ends: the same function invoked with {"token":"…"} goes on.
//
// Variables: those of package deployment for accounts; USERCORE_USER_POOL_ID; USERCORE_REPAIR, the classes of drift to repair, separated by
// commas, default none, which is a dry run; USERCORE_MIN_AGE, as in 15m, the default; USERCORE_CONTINUE_QUEUE_URL, the queue. Its event
// source mapping needs BatchSize 1, its visibility timeout six times the function's timeout.
//
// Permissions: on the table dynamodb:Scan and GetItem, and to repair Query, PutItem, UpdateItem and DeleteItem; on the outbox, to repair,
// dynamodb:PutItem; on the pool cognito-idp:ListUsers and AdminGetUser, and to repair AdminDisableUser, AdminEnableUser,
// AdminUserGlobalSignOut and AdminUpdateUserAttributes; on the queue sqs:SendMessage, ReceiveMessage, DeleteMessage and GetQueueAttributes.
package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	cfg := cognitosync.ReconcileConfig{UserPoolID: d.Required("USERCORE_USER_POOL_ID"), MinAge: d.Duration("USERCORE_MIN_AGE"), Logger: d.Logger}
	for _, class := range d.List("USERCORE_REPAIR") {
		cfg.Repair = append(cfg.Repair, cognitosync.Class(class))
	}
	users, err := d.Users()
	if err != nil {
		return nil, err
	}
	reconciler, err := cognitosync.NewReconciler(cognitoidentityprovider.NewFromConfig(d.AWS), users, cfg)
	if err != nil {
		return nil, err
	}
	next := chain{queue: sqs.NewFromConfig(d.AWS), url: d.Text("USERCORE_CONTINUE_QUEUE_URL", "")}
	return handler(reconciler, next, d.Logger), nil
}

// handler runs until the pool is done or the function's time is over.
func handler(reconciler *cognitosync.Reconciler, next chain, logger *slog.Logger) function.Handler {
	return func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
		token, err := tokenOf(event)
		if err != nil {
			return nil, err
		}
		limited, cancel := function.BeforeDeadline(ctx)
		defer cancel()
		report, err := reconciler.Run(limited, token)
		if err != nil && (limited.Err() == nil || report == nil) {
			return nil, err // not for want of time
		}
		logger.InfoContext(ctx, "reconciled", "report", report)
		if err := next.goOn(ctx, token, report); err != nil {
			return nil, err
		}
		return json.Marshal(report)
	}
}
