// Reconciler compares the user pool with the table, on a schedule of a day, and repairs what it is told to. Its answer is the report of
// package cognitosync, and so is a log record.
//
// A run ends in order before the function's timeout. Its report then has complete false and a token; the same function invoked with
// {"token":"…"} goes on from there. For pools that take longer than one run, let a state machine do so, or usercore-admin.
//
// Variables: those of package deployment; USERCORE_USER_POOL_ID; USERCORE_REPAIR, the classes of drift to repair, separated by commas, default
// none, which is a dry run; USERCORE_MIN_AGE, as in 15m, the default.
//
// Permissions: on the table dynamodb:Scan, GetItem and Query, and to repair PutItem, UpdateItem, DeleteItem and ConditionCheckItem; on the
// outbox, to repair, dynamodb:PutItem; on the pool cognito-idp:ListUsers and AdminGetUser, and to repair AdminDisableUser,
// AdminEnableUser, AdminUserGlobalSignOut and AdminUpdateUserAttributes.
package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"

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
	return function.Handler(func(ctx context.Context, event json.RawMessage) (json.RawMessage, error) {
		var in struct {
			Token string `json:"token"` // the events of schedules have no such member
		}
		if err := json.Unmarshal(event, &in); err != nil {
			return nil, fmt.Errorf("the event is not a JSON object: %w", err)
		}
		limited, cancel := function.BeforeDeadline(ctx)
		defer cancel()
		report, err := reconciler.Run(limited, in.Token)
		if err != nil && (limited.Err() == nil || report == nil) {
			return nil, err // not for want of time
		}
		d.Logger.InfoContext(ctx, "reconciled", "report", report)
		return json.Marshal(report)
	}), nil
}
