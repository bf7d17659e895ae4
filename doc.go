// Package usercore is the overview of a library that keeps user accounts in DynamoDB, right under concurrency.
//
//   - Package userstore keeps the accounts: profile, life cycle, optimistic locking.
//   - Package emails keeps their e-mail addresses: add, verify, choose the primary one, remove.
//   - Package outbox publishes the events of every change, in order, to EventBridge or SQS.
//   - Package cognitosync keeps a Cognito user pool and the accounts together.
//   - Package ratelimit limits rates exactly, on any DynamoDB table.
//   - Package httpapi serves all of it over HTTP.
//
// Every change is one DynamoDB transaction whose conditions are stated where it is built. The packages' pages say what
// they guarantee, what each call costs in requests and capacity units, and which errors it returns.
package usercore
