// Api is the HTTP interface of package httpapi as a Lambda function, behind a REST API, an HTTP API or a function URL: all three shapes of
// events are answered alike.
//
// Variables: those of package deployment for accounts and for the HTTP interface, and USERCORE_BASE_PATH, the mapping of a custom domain, as
// in /accounts.
//
// With USERCORE_AUTH=gateway a function URL is of no use: it has no authorizer that hands over claims, and every request is a 401.
//
// Permissions: on the table dynamodb:GetItem, Query, PutItem, UpdateItem, DeleteItem and ConditionCheckItem; on the outbox dynamodb:PutItem;
// on the table of limits, if it is another one, dynamodb:GetItem and UpdateItem; on the identity of SES ses:SendEmail.
package main
