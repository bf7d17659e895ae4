// Package suite is what the tests of the packages that touch DynamoDB share: the engine they run on, a world of stores
// on a table of its own, and the checks that every race ends with.
//
// Without settings the engine is the in-memory one. USERCORE_TEST_DYNAMODB=http://host:port runs the same tests on any
// DynamoDB endpoint.
package suite
