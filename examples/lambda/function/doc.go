// Package function is what the Lambda functions beside it share: reading the environment, opening the packages of usercore, and
// starting. A function's main is then a screen long:
//
//	func main() { function.Run(build) }
//
//	func build(d *function.Deployment) (lambda.Handler, error) { … }
//
// A function that is configured wrongly ends at its start with status 1, and with one log record that names every variable that is
// missing, wrong or contradicts another. Nothing is requested from AWS before the first event, so a cold start takes what the
// program takes to load.
//
// # Variables of all functions that work on accounts
//
//	USERCORE_TABLE          the table of accounts
//	USERCORE_OUTBOX_TABLE   the table of the outbox, or
//	USERCORE_NO_OUTBOX      true for a deployment without events
//	USERCORE_OUTBOX_PREFIX  of the outbox's keys, default OUTBOX#
//	USERCORE_OUTBOX_SHARDS  default 16
//	USERCORE_ENVIRONMENT    the deployment's name in events
//	USERCORE_MAX_EMAILS     default 5
//	USERCORE_RETENTION      as in 720h, the default
//	USERCORE_GMAIL_RULES    true or false, the default
//
// All functions of a deployment, and usercore-admin, need the same values. The SDK's own variables (AWS_REGION, AWS_ENDPOINT_URL…)
// work as everywhere. Logs are JSON on standard error.
package function
