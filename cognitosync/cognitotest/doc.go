// Package cognitotest is a user pool in memory, for tests and for programs that run without an AWS account: the administrator's calls of
// Amazon Cognito's JSON API that package cognitosync makes, reached through the real SDK client, with or without a socket.
//
//	pool := cognitotest.New(cognitotest.Options{})
//	pool.Put(cognitotest.User{Sub: "abc-123", Email: "dana@example.com", EmailVerified: true})
//	syncer, err := cognitosync.New(pool.Client(), users, cognitosync.Config{UserPoolID: cognitotest.PoolID})
//
// It behaves where it matters as Cognito does and as simple fakes do not: ListUsers lags behind AdminGetUser; its pages are short, empty,
// and repeat users while a token is present; a verified address is an alias of one user; a federated user is known by its user name alone,
// a local one by its sub too. Throttling and failures are what Options.Intercept makes of them. An unknown operation or parameter is an
// error, never ignored.
package cognitotest
