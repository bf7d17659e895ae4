// Package cognitosync keeps an Amazon Cognito user pool and a table of accounts (package userstore) from drifting apart.
//
// The pool knows who may sign in, the table what the account is. Each is written by itself, so something can always fail in between. The
// package closes every such gap: with handlers that see a change through, and with a Reconciler that finds what has slipped by all of them.
//
//	Trigger       Cognito's Lambda triggers: makes the account of a confirmed user, or queues it
//	DeadLetters   makes the accounts that were queued
//	EnsureUser    makes the account of a user who signs in without one
//	Syncer        suspends, reactivates, deletes and restores; follows the published events; writes the primary address to the pool
//	Reconciler    compares pool and table in both directions, and repairs
//	Revoker       signs out a list of users or the whole pool
//
// # Guarantees
//
//   - A confirmed user gets one account, however often and concurrently the trigger and the queue deliver the user. With DynamoDB down
//     the sign-up succeeds, and the account is made from the queue. With SQS down too, the trigger fails and its log record has the sub.
//   - The trigger ends within the 5 s that Cognito waits, 3.5 s for the account and 1 s for the queue.
//   - A password reset makes nobody, and nobody is made of a sign-up that was not confirmed.
//   - A suspended or deleted account's user is disabled and signed out even if the process dies right after the status change: the event
//     handler does it again. What decides is the account as it stands, not the event: events may come late, twice and out of order.
//   - The Reconciler acts on nothing that AdminGetUser and a consistent read do not confirm, and on nothing younger than MinAge.
//
// What is not guaranteed: sign-out does not end access tokens that are out. Who verifies tokens compares their iat with the account's
// TokensValidAfter, and with the fleet's (userstore.Store.CachedTokensValidAfter).
//
// # Use
//
//	store, _ := userstore.New(dynamodb.NewFromConfig(cfg), userstore.Config{Table: "accounts"})
//	pool := cognitoidentityprovider.NewFromConfig(cfg)
//
//	trigger, err := cognitosync.NewTrigger(store, sqs.NewFromConfig(cfg), cognitosync.TriggerConfig{QueueURL: url, Logger: logger})
//	lambda.Start(trigger.Handle) // post confirmation, and pre token generation
//
//	letters, err := cognitosync.NewDeadLetters(store, logger)
//	lambda.Start(letters.Handle) // the queue
//
//	syncer, err := cognitosync.New(pool, store, cognitosync.Config{UserPoolID: poolID, Logger: logger})
//	lambda.Start(cognitosync.Batch(syncer.HandleEvent, logger)) // a queue of the bus's user.* and email.primary.changed events
//	user, err := syncer.Suspend(ctx, userID, "spam")            // from the API
//
// The handlers take and return json.RawMessage, so that this package needs no Lambda library and an event comes back byte for byte.
//
// The queue of dead letters is a standard queue with a visibility timeout of six times the function's, a redrive policy of five or more
// receives into a second queue, 14 days of retention, and encryption: its messages hold addresses. ReportBatchItemFailures is on.
//
// # Runbook: orphaned Cognito users
//
// Somebody has registered and cannot use the application.
//
//  1. Look in the log for the trigger's records ("outcome" queued, lost or refused) with the userId, and at the queue.
//  2. userstore.Store.Get(ctx, sub) says whether the account is missing.
//  3. One user: EnsureUser. All of them: NewReconciler without Repair, Run(ctx, ""), read the Report; then the same with
//     Repair: []Class{PoolOnly}. A Duplicate needs a person: link the two users of the pool, or delete one.
//  4. The reason in the record or the dead letter (unavailable, address_taken, invalid, corrupt) is the root cause.
//
// # Runbook: mass token revocation
//
//  1. NewRevoker, then Revoker.RevokePool(ctx, ""): at once no verifier accepts a token that was issued before, and user by user no refresh
//     token works. Revoker.RevokeUsers does it for a list. At five calls a second, 50,000 users take three hours; raise CallsPerSecond as
//     far as the pool's quota goes.
//  2. After an interruption, go on with the token of the last progress.
//  3. Accounts that are in the wrong hands: Syncer.Suspend.
//
// # Runbook: high depth of the dead-letter queue
//
//  1. DeadLetters.Drain handles what can be handled, and its report says why the rest failed.
//  2. unavailable was transient: Redrive moves messages from the second queue back to the first; Drain does without.
//  3. invalid and corrupt want a fix, or userstore/audit; address_taken a person. Then Drain again.
//  4. A dry run of the Reconciler shows that nobody is left.
//
// # Cost
//
// Requests per call, without retries.
//
//	                               DynamoDB   Cognito        SQS
//	Trigger, confirmation          1          0              0, or 1 when it is queued
//	Trigger, sign-in; EnsureUser   1          0              0     (two to DynamoDB when the account is made)
//	DeadLetters.Process            1          0              0
//	Syncer.Suspend, Delete         4          2              0     (three more to Cognito for a federated user)
//	Syncer.Reactivate, Restore     4          1              0
//	Syncer.SyncPrimary             2          1              0
//	HandleEvent                    2          1 or 2         0
//	Reconciler.Run, n users        2 scans    n/60           0     (and about three of each for every drift)
//	Revoker.RevokePool, n users    1          n + n/60       0
//	Revoker.RevokeUsers, n users   2n         n              0
//
// AdminGetUser counts its user as active for the month's bill (API reference), which is why the Reconciler asks for nobody who looks
// healthy.
//
// # Permissions
//
// Beside what userstore needs for the methods in each interface. Trigger: sqs:SendMessage. Syncer: cognito-idp:AdminDisableUser,
// AdminEnableUser, AdminUserGlobalSignOut, AdminUpdateUserAttributes, AdminGetUser, ListUsers, and AdminDeleteUser with DeletePurged.
// Reconciler: those but AdminDeleteUser, and dynamodb:Scan; for a dry run only ListUsers and AdminGetUser of Cognito. Revoker: ListUsers,
// AdminGetUser, AdminUserGlobalSignOut.
//
// # Limits
//
// One pool for a table: an account whose user is in another pool looks like one without a user. Addresses are compared as userstore keeps
// them, but for GmailRules: with them on, a pool that spells an address in another way has it rewritten once.
package cognitosync
