// Package bench holds the benchmarks of the library. It has no code of its own; run
//
//	go test -run '^$' -bench Operations ./internal/bench
//
// Operations measures each call of userstore and emails beside the bare SDK calls that it makes: the requests that the
// library sent are sent again, to a copy of the engine, right after it, and the medians of the pairs are compared.
// Instrumentation measures each call with telemetry beside the same call without.
package bench
