// Package memdynamo is an in-memory DynamoDB for tests and for the example server.
package memdynamo
