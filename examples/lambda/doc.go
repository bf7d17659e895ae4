// Package lambda is an overview of the Lambda functions below it. Each is a program, thin over the packages of usercore; its page names its
// variables and permissions.
//
//	api                the HTTP interface, behind a REST API, an HTTP API or a function URL
//	postconfirmation   Cognito trigger: makes the account of a user who has signed up
//	signupdeadletters  SQS: makes the accounts that the trigger could not make
//	outboxpoller       scheduled: publishes events, or what the stream left of them
//	outboxstream       DynamoDB stream: publishes events as they are committed
//	cognitoevents      SQS behind a rule of the bus: the user pool follows the accounts
//	reconciler         scheduled: compares the user pool with the table, and repairs
//	purgesweeper       scheduled: erases accounts whose retention is over
//
// Package gateway turns the events of gateways into net/http requests, package function reads the environment and starts. examples/deploy
// has a template with all of them.
//
// # Build
//
// A function is a static binary named bootstrap, for the runtime provided.al2023:
//
//	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go build -tags lambda.norpc -trimpath -ldflags "-s -w" -o api/bootstrap ./examples/lambda/api
//
// examples/deploy/build.sh does so for all of them.
//
// # Test
//
// The tests here compare the answers of all shapes of events with a server's (package gateway), build all functions, and start each with the
// variables that the template gives it. The module integration invokes them through Lambda's runtime interface emulator.
package lambda
