// Package integration runs the suites of usercore against a DynamoDB engine in a container. It is a module of its own, so that
// nobody who imports usercore gets testcontainers with it.
//
//	cd integration && go test -v .                                      # a public image
//	USERCORE_TEST_IMAGE=my/engine:tag go test -v .                      # any image that listens on 8000
package integration
