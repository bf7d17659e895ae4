// Package deployment puts the packages of usercore together from variables of the environment, for every program that runs on AWS: the Lambda
// functions of examples/lambda, and examples/server when it is given these variables. All that is wrong with them is said at once, by
// name, before the first request.
//
// # Variables of all programs that work on accounts
//
//	USERCORE_TABLE            the table of accounts
//	USERCORE_OUTBOX_TABLE     the table of the outbox, or
//	USERCORE_NO_OUTBOX        true for a deployment without events
//	USERCORE_OUTBOX_PREFIX    of the outbox's keys, default OUTBOX#
//	USERCORE_OUTBOX_SHARDS    default 16
//	USERCORE_ENVIRONMENT      the deployment's name in events
//	USERCORE_MAX_EMAILS       default 5
//	USERCORE_RETENTION        as in 720h, the default
//	USERCORE_GMAIL_RULES      true or false, the default
//
// All programs of a deployment, and usercore-admin, need the same values.
//
// # Variables of programs that publish events
//
//	USERCORE_EVENT_BUS        the EventBridge bus
//	USERCORE_SOURCE           the source of events, default user-service
//
// # Variables of programs with the HTTP interface
//
//	USERCORE_USER_POOL_ID     the user pool whose tokens are verified, or
//	USERCORE_ISSUER           the iss of another issuer; USERCORE_JWKS_URL is where its keys are, if not below it
//	USERCORE_CLIENT_ID        the app clients whose tokens are taken, separated by commas
//	USERCORE_AUTH             token, the default, or gateway: an authorizer in front has verified the token already
//	USERCORE_CODE_SECRET      the key of verification codes in base64, 32 bytes or more, as id:key or alone; then its id is 1. Further ones,
//	                          separated by commas, are accepted but not used
//	USERCORE_MAIL_FROM        the sender of verification mails, an identity of SES
//	USERCORE_RATELIMIT_TABLE  the table of the limits on sent codes, default the table of accounts. Its keys are PK and SK too
//	USERCORE_STATUS_CHECK     writes, the default, or every-request: revoked tokens are refused by reads too, for one more read
//	USERCORE_CORS_ORIGINS     the origins of pages that may call the API, separated by commas, or * for all; default none
//
// The secret is in the environment, which Lambda encrypts, so whoever may read the function's configuration can read it. It lets one
// compute the live codes; it opens no account without one.
//
// The SDK's own variables (AWS_REGION, AWS_ENDPOINT_URL…) work as everywhere.
package deployment
