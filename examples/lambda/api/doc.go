// Api is the HTTP interface of package httpapi as a Lambda function, behind a REST API, an HTTP API or a function URL: all three shapes of
// events are answered alike.
//
// # Variables
//
// Those of package function, and:
//
//	USERCORE_CLIENT_IDS     the app clients whose tokens are taken, separated by commas
//	USERCORE_USER_POOL      the user pool whose tokens are verified here, or
//	USERCORE_ISSUER         the iss of another issuer; USERCORE_JWKS_URL is where its keys are, if not below it
//	USERCORE_AUTH           token, the default, or gateway: an authorizer in front has verified the token already
//	USERCORE_CODE_SECRETS   id:key, the key in base64 (32 bytes or more); further ones, separated by commas, are accepted but not used
//	USERCORE_MAIL_FROM      the sender of verification mails, an identity of SES
//	USERCORE_STATUS_CHECK   writes, the default, or every-request: revoked tokens are refused by reads too, for one more read
//	USERCORE_BASE_PATH      the mapping of a custom domain, as in /accounts
//
// With gateway a function URL is of no use: it has no authorizer that hands over claims, and every request is a 401.
//
// The secrets are in the environment, which Lambda encrypts, so whoever may read the function's configuration can read them. They let
// one compute the live codes; they open no account without one.
//
// # Permissions
//
// On the table: dynamodb:GetItem, Query, PutItem, UpdateItem, DeleteItem, ConditionCheckItem, and Query on its index GSI1. On the outbox:
// PutItem. On the identity of SES: ses:SendEmail.
package main
