// Package outboxtest helps to test what is built on package outbox: a publisher that records, a comparison of what was committed with what was
// published, and the suite that every publisher must pass.
package outboxtest
