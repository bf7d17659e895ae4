// Package integration holds the tests that need programs which Go does not build: the contract tests of usercore on a DynamoDB in a
// container, and a sign-up through Cognito and Lambda from end to end.
//
//	go test -v .                                          the default image, which Docker pulls
//	USERCORE_TEST_IMAGE=registry/name:tag go test -v .    any image that serves DynamoDB on port 8000
//
// It is a module of its own, outside the workspace, so that no user of usercore inherits the requirements of testcontainers-go.
// The packages whose tests run in the container stand in packages.txt.
package integration
