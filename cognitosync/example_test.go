package cognitosync_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/userstore"
)

// exampleTable is a table in memory; with AWS, give userstore a client of the SDK.
func exampleTable(ctx context.Context) (*userstore.Store, error) {
	client := memdynamo.New(memdynamo.Options{}).Client()
	if _, err := client.CreateTable(ctx, userstore.TableDefinition("accounts")); err != nil {
		return nil, err
	}
	return userstore.New(client, userstore.Config{Table: "accounts"})
}

// A post-confirmation trigger. In a Lambda function, lambda.Start(trigger.Handle) takes the place of the last lines.
func Example() {
	ctx := context.Background()
	store, err := exampleTable(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	trigger, err := cognitosync.NewTrigger(store, &queue{}, cognitosync.TriggerConfig{
		QueueURL: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = trigger.Handle(ctx, json.RawMessage(`{
		"triggerSource": "PostConfirmation_ConfirmSignUp",
		"userName": "u-1",
		"request": {"userAttributes": {"sub": "u-1", "email": "dana@example.com", "email_verified": "true"}}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	user, err := store.Get(ctx, "u-1")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(user.Email, user.Status)
	// Output: dana@example.com active
}

// A dry run, and then one that makes the missing account.
func ExampleReconciler_Run() {
	ctx := context.Background()
	store, err := exampleTable(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := cognitotest.New(cognitotest.Options{})
	pool.Put(cognitotest.User{Sub: "u-1", Email: "dana@example.com", EmailVerified: true, Created: time.Now().Add(-time.Hour)})

	for _, repair := range [][]cognitosync.Class{nil, {cognitosync.PoolOnly}, nil} {
		reconciler, err := cognitosync.NewReconciler(pool.Client(), store, cognitosync.ReconcileConfig{
			UserPoolID: cognitotest.PoolID, Repair: repair, CallsPerSecond: 100,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		report, err := reconciler.Run(ctx, "")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Findings, report.ExitCode())
	}
	// Output:
	// [{pool_only u-1 reported }] 1
	// [{pool_only u-1 repaired }] 0
	// [] 0
}
