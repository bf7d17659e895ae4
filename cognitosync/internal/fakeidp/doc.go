// Package fakeidp is a user pool for tests: the administrator's calls of Amazon Cognito's JSON API, reached through the real SDK client
// without a socket.
//
// It behaves where it matters as Cognito does and as simple fakes do not: ListUsers lags behind AdminGetUser; its pages are short, empty,
// and repeat users while a token is present; a verified address is an alias of one user; a federated user is known by its user name alone,
// a local one by its sub too. Throttling and failures are what Options.Intercept makes of them. An unknown operation or parameter is an
// error, never ignored.
package fakeidp
