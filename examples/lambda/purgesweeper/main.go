// Purgesweeper erases what has come to the end of its life, on a schedule of a day: deleted accounts after their retention, and addresses that
// nobody verified. It scans the table (0.5 read units for each 4 KB); a run that does not get through is no loss, the next one finds what is left.
//
// Variables: those of package deployment.
//
// The answer says what was done: {"purged":2,"lapsed":1,"failed":0,"complete":true}. What cannot be removed is logged and counted.
//
// Permissions: on the table dynamodb:Scan, Query, UpdateItem and DeleteItem; on the outbox dynamodb:PutItem.
package main

import (
	"context"
	"encoding/json"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/usercore-go/usercore/examples/deployment"
	"github.com/usercore-go/usercore/examples/lambda/function"
	"github.com/usercore-go/usercore/userstore/lifecycle"
)

func main() { function.Run(build) }

func build(d *deployment.Deployment) (lambda.Handler, error) {
	accounts, err := d.Accounts()
	if err != nil {
		return nil, err
	}
	janitor, err := lifecycle.New(d.DynamoDB(), lifecycle.Config{Store: accounts})
	if err != nil {
		return nil, err
	}
	return function.Handler(func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		limited, cancel := function.BeforeDeadline(ctx)
		defer cancel()
		report, err := janitor.Run(limited, "")
		if err != nil && limited.Err() == nil {
			return nil, err // not for want of time
		}
		for _, failure := range report.Failures {
			d.Logger.ErrorContext(ctx, "not removed", "userId", failure.UserID, "emailId", failure.EmailID, "error", failure.Error)
		}
		done := result{Purged: report.Purged, Lapsed: report.Lapsed, Failed: report.Failed, Complete: err == nil}
		d.Logger.InfoContext(ctx, "swept", "purged", done.Purged, "lapsed", done.Lapsed, "failed", done.Failed, "complete", done.Complete)
		return json.Marshal(done)
	}), nil
}

// result is the answer of a run.
type result struct {
	Purged   int64 `json:"purged"`
	Lapsed   int64 `json:"lapsed"`
	Failed   int64 `json:"failed"`
	Complete bool  `json:"complete"`
}
