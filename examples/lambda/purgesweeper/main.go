// Purgesweeper erases the deleted accounts whose retention is over, on a schedule of a day. It scans the table (0.5 read units for each 4
// KB); a run that does not get through is no loss, the next one finds what is left.
//
// Variables: those of package deployment.
//
// The answer says what was done: {"purged":2,"failed":0,"complete":true}. An account that cannot be purged is logged and counted.
//
// Permissions: on the table dynamodb:Scan, Query, UpdateItem and DeleteItem; on the outbox dynamodb:PutItem.
package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/userstore"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	users, err := d.Users()
	if err != nil {
		return nil, err
	}
	return function.Handler(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		limited, cancel := function.BeforeDeadline(ctx)
		defer cancel()
		done, err := sweep(limited, d, users)
		if err != nil && limited.Err() == nil {
			return nil, err // not for want of time
		}
		done.Complete = err == nil
		d.Logger.InfoContext(ctx, "swept", "purged", done.Purged, "failed", done.Failed, "complete", done.Complete)
		return json.Marshal(done)
	}), nil
}

// result is the answer of a run.
type result struct {
	Purged   int  `json:"purged"`
	Failed   int  `json:"failed"`
	Complete bool `json:"complete"`
}

// sweep purges what is due. It returns what it did beside an error, which is one of the scan.
func sweep(ctx context.Context, d *deployment.Deployment, users *userstore.Store) (result, error) {
	var done result
	for user, err := range users.All(ctx, userstore.Segment{}) {
		if err != nil {
			return done, err
		}
		if user.Status != userstore.Deleted || user.PurgeAfter.IsZero() || time.Now().Before(user.PurgeAfter) {
			continue // a purged account has no PurgeAfter
		}
		if err := users.Purge(ctx, user.UserID); err != nil {
			d.Logger.ErrorContext(ctx, "account not purged", "userId", user.UserID, "error", err.Error())
			done.Failed++
			continue
		}
		done.Purged++
	}
	return done, nil
}
