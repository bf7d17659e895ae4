// Server is the user service of package httpapi as one program that needs nothing but Go:
//
//	go run ./examples/server
//
// With variables that name tables, bus and user pool it runs on AWS instead; see below.
//
// The packages of usercore are the real ones, the relay of the outbox and the handler of sign-ups too. In place of AWS stand an
// in-memory DynamoDB, an issuer of tokens in the same process, a mailbox that keeps the mails instead of sending them, and a
// log that keeps the events instead of a bus. When the server is ready it prints its address and a walk-through for bash that
// uses curl and sed only.
//
// # Flags
//
//	-addr ADDR       where the API listens, default 127.0.0.1:8080; port 0 picks a free one
//	-data FILE       keeps tables, signing key and code secret in FILE across restarts
//	-dynamodb ADDR   also serves the in-memory DynamoDB there, for any DynamoDB client and any credentials, and the user pool and the
//	                 queue of sign-ups for the commands of examples/admin
//
// # Calls
//
// The API is below /v1, its description at /openapi.json. Beside it:
//
//	GET  /healthz                         200 while the process is up
//	GET  /readyz                          200 when the table is laid out as it should be and a consistent read succeeds, else 503
//	GET  /metrics                         what the packages measure, in the text form of Prometheus
//	GET  /.well-known/jwks.json           the issuer's keys
//	POST /dev/users                       {"email","firstName","lastName"}: a new account with a verified address, and a token;
//	                                      names that are not valid are left out, as at a sign-up
//	POST /dev/tokens                      {"userId","expiresIn","claims"}: a token for any user id; claims override, null leaves out
//	GET  /dev/mail?to=ADDRESS             the mails to an address, newest first; all mails without to
//	GET  /dev/events?userId=ID            the events of a user, in the order of publishing; all events without userId
//	POST /dev/users/{userId}/suspend      {"reason"}, or no body
//	POST /dev/users/{userId}/reinstate
//	GET  /dev/audit                       checks the invariants of all accounts
//	POST /dev/faults                      {"dynamodb","events","signUps"}: what shall fail from now on; {} ends it
//	GET  /dev/faults                      what fails now
//
// Errors have the API's form everywhere, except for what net/http refuses itself: a request that is not HTTP, or has more than
// 32 KB of headers. Paths are compared as they are sent: nothing is redirected. A mail is found under its address as the API
// shows it, in upper or lower case; the newest 10,000 are kept.
//
// # Events
//
// A change and its events are stored in one transaction, the events in the table usercore-outbox; the relay is woken by the commit
// and publishes them a few milliseconds later. /dev/events shows each as EventBridge hands it to consumers: "source", "detail-type",
// "time", and "detail" with the user's id, a sequence number without gaps for each user, and the request's id (X-Request-Id) as
// metadata.correlationId. Events of one user are in order. The newest 10,000 are kept, in memory.
//
// Whoever reaches /dev may do anything. It is meant for a loopback address; with another -addr it is open to that network.
//
// # The user pool, and faults
//
// Whoever signs up is in a user pool too, in memory; its id is eu-west-1_fake. It follows the accounts through their events. After a restart with
// -data it has a user for each account.
//
// Faults can be planted to practise what docs/runbooks.md says: "dynamodb" may be "throttled" or "unavailable", for the requests of this program;
// "events" may be "rejected" or "unavailable", which is what the bus then answers; "signUps" may be "queued", which sends who signs up to
// the queue instead of making the account, or "lost", which leaves them in the pool alone, as if they had signed up an hour ago. The queue's
// URL is http://localhost/000000000000/usercore-signups, and nothing but usercore-admin empties it.
//
// # Data file
//
// With -data the state is written when the server starts, at most a second after a change, and when it stops. Each time the
// file is replaced as a whole, so after a crash it holds the state of at most a second ago. The relay's heartbeat is a change too,
// so the file is written about once a second. It holds the private keys and is readable by its owner only. Mails and published
// events are not kept. Two servers on one file overwrite each other's state.
//
// Events that wait are kept: the next start publishes them, 2 s later when the server before it crashed. Then those of the last
// second may be published again, with the same eventId.
//
// # On AWS
//
// With any of the variables of package deployment (go doc ./examples/deployment) set, the same program runs on the real services: DynamoDB,
// tokens of a Cognito user pool, mails by SES, and events to an EventBridge bus. There is nothing below /dev then, no key set, no
// walk-through, and -data and -dynamodb are refused. What is missing or contradicts another variable is named at start, all at once:
//
//	USERCORE_TABLE=users USERCORE_OUTBOX_TABLE=outbox USERCORE_EVENT_BUS=users USERCORE_USER_POOL_ID=eu-west-1_AbCdEf123 \
//	USERCORE_CLIENT_ID=… USERCORE_CODE_SECRET=… USERCORE_MAIL_FROM=accounts@example.com AWS_REGION=eu-west-1 go run ./examples/server
//
// Permissions: those of the Lambda functions api and outboxpoller, and on the table dynamodb:DescribeTable and DescribeTimeToLive for
// /readyz, which asks for them at most once a minute while the table is as it should be.
//
// # Stop
//
// On SIGINT or SIGTERM the server takes no more connections, finishes the requests it has, for at most 7 s, publishes the events
// that wait, for at most 2 s, writes the data file and exits with status 0. A second signal ends it at once. (After Ctrl-C
// "go run" itself always has status 1; the status of a binary made by "go build" is the server's.)
package main
