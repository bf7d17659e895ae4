// Package telemetry tells of operations: each ends with one log record, one span and one point in the metrics, all with the same
// name and outcome. It writes nothing but names from fixed sets, ids and numbers: never an address, a code, a token, an item, or the text of
// an error, which may hold one.
//
// Without a logger and providers a Recorder is nil, and a nil Recorder costs a comparison.
package telemetry
