// Usercore-admin works on the accounts of a usercore deployment from a terminal or a script:
//
//	go run ./examples/admin --help
//	go run ./examples/admin table check --table users
//	go run ./examples/admin audit --endpoint http://127.0.0.1:8000
//
// # Commands
//
//	user get|find|export|suspend|reinstate|delete|restore|purge|erase|revoke
//	revoke-all                 all access tokens and, with --user-pool, all sessions
//	adopt [--apply]            accounts that other programs have written get what they lack; docs/adoption.md
//	sweep [--apply]            deleted accounts after their retention, and addresses that nobody verified, go
//	audit [--repair]           the invariants of the whole table, and repairs of what needs no person to decide
//	reconcile [--apply]        user pool against table
//	outbox ls|dead|redrive     events that are not published
//	dlq redrive                messages that came to rest in a dead-letter queue
//	table create|check         keys, index, time to live, backups, deletion protection
//
// # Settings
//
// A setting is a flag or a variable of the environment; --help lists both. Credentials and region come from where every AWS tool
// takes them. --endpoint names another DynamoDB; without credentials in the environment, made-up ones are sent there. The SDK's own
// AWS_ENDPOINT_URL_SQS and AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER do the same for the other services.
//
// A command that changes accounts has to know the outbox: --outbox-table with the values that the deployment has, or --no-outbox for
// a deployment without one. A change without its event would leave a gap that consumers cannot tell from a lost event.
//
// # Output
//
// Results are tables for people, or with --json one JSON object on each line for programs. Questions, progress and errors go to
// standard error; the progress bar is drawn on a terminal only. What destroys data or ends many sessions asks first; --yes
// answers yes, and is needed where there is no terminal to ask on.
//
// # Exit status
//
//	0    done, and nothing to complain about
//	1    a check found something: violations, drifts, messages or dead letters that stay
//	2    the command line or its input is wrong; nothing was done
//	3    refused: no such account, its status does not allow the change, or the answer to the question was no
//	4    AWS refused or did not answer; every command may be repeated
//	130  interrupted by SIGINT or SIGTERM
//
// After an interruption every command can be run again. Those that take long, reconcile and revoke-all, print a token to go on with.
// A second signal ends the process at once.
//
// # Permissions
//
// On the table of accounts: adopt dynamodb:Scan, BatchGetItem, GetItem, and Query on the index too, with --apply PutItem, UpdateItem, DeleteItem and
// ConditionCheckItem; audit dynamodb:Scan, BatchGetItem, GetItem and Query; user get GetItem and Query; user find GetItem, and Query on the
// index too; changes of users GetItem, Query, PutItem, UpdateItem, DeleteItem and ConditionCheckItem, which transactions are
// authorised by; revoke-all UpdateItem; table check DescribeTable, DescribeTimeToLive and DescribeContinuousBackups; table create
// CreateTable, UpdateTimeToLive, UpdateContinuousBackups and DescribeTable. On the outbox: changes of users PutItem; ls and dead
// Query; redrive Query, PutItem, UpdateItem and DeleteItem. On the user pool, with --user-pool: AdminGetUser, AdminDisableUser,
// AdminEnableUser, AdminUserGlobalSignOut; revoke-all and reconcile ListUsers too, and reconcile --apply AdminUpdateUserAttributes.
// On queues: dlq redrive --signup-queue sqs:ReceiveMessage and DeleteMessage; dlq redrive --queue-arn sqs:StartMessageMoveTask, and
// what that itself needs on both queues (ReceiveMessage, DeleteMessage, GetQueueAttributes, SendMessage).
package main
