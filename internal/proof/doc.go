// Package proof holds the proofs that reach over the whole module; all of it is tests.
//
//	go test -run TestHistories -v ./internal/proof -ops 100000       random concurrent histories with faults
//	go test -run TestConditionsAreNeeded -v ./internal/proof         each condition, and the scene that fails without it
//	go test -run TestDecisionsAreNeeded -v ./internal/proof -mutants each line of the decision functions, and the test that fails without it
//	go test -run TestCosts ./internal/proof                          requests and capacity units of each operation
//
// A history is a number of workers that call every operation of userstore and emails on few accounts and few addresses, so
// that they collide. A scheduler under the SDK's client lets one request go at a time, in an order that the seed decides, and
// the workers run in a testing/synctest bubble: the same seed plays the same history again. Afterwards the table is audited,
// the events are counted, and the answers that the workers got must be linearizable, for each account and for each address.
package proof
