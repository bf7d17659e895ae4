// Package integration runs the contract tests of usercore on a DynamoDB in a container; all of it is tests.
//
//	go test -v .                                          the default image, which Docker pulls
//	USERCORE_TEST_IMAGE=registry/name:tag go test -v .    any image that serves DynamoDB on port 8000
//
// It is a module of its own, outside the workspace, so that no user of usercore inherits the requirements of testcontainers-go.
// The packages whose tests it runs stand in packages.txt.
package integration
