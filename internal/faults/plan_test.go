package faults_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

// outcome names what a caller saw.
func outcome(err error) string {
	var failure smithy.APIError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &failure):
		return failure.ErrorCode() + ": " + failure.ErrorMessage()
	default:
		return "lost"
	}
}

// outcomes writes and reads in turn and returns what the writes met. Reads are made as often as given before each write.
func outcomes(t *testing.T, plan faults.Plan, writes, readsBetween int) (seen []string, executed int) {
	t.Helper()
	client, _, db := setup(t, plan, 1)
	for range writes {
		for range readsBetween {
			_, _ = client.GetItem(t.Context(), get("a")) // only its effect on the writes matters
		}
		_, err := client.TransactWriteItems(t.Context(), transaction("a", "b", "c"))
		seen = append(seen, outcome(err))
	}
	for _, request := range db.received() {
		if request.op == "TransactWriteItems" {
			executed++
		}
	}
	return seen, executed
}

func everything(seed uint64) faults.Plan {
	return faults.Plan{Seed: seed, Conflict: 0.1, PartConflict: 0.1, PartThrottle: 0.1, Throttle: 0.1, Internal: 0.1, LoseRequest: 0.1,
		LoseReply: 0.1, Unprocessed: 0.1}
}

func TestSameSeedSameFaults(t *testing.T) {
	t.Parallel()
	first, executed := outcomes(t, everything(7), 200, 0)
	again, executedAgain := outcomes(t, everything(7), 200, 0)
	require.Equal(t, first, again)
	require.Equal(t, executed, executedAgain)
	withReads, _ := outcomes(t, everything(7), 200, 2)
	require.Equal(t, first, withReads, "other operations do not shift the faults")
	other, _ := outcomes(t, everything(8), 200, 0)
	require.NotEqual(t, first, other)
}

func TestOperationsHaveTheirOwnFaults(t *testing.T) {
	t.Parallel()
	client, _, _ := setup(t, faults.Plan{Internal: 0.5}, 1)
	var puts, gets []string
	for range 50 {
		_, err := client.PutItem(t.Context(), put("a"))
		puts = append(puts, outcome(err))
		_, err = client.GetItem(t.Context(), get("a"))
		gets = append(gets, outcome(err))
	}
	require.NotEqual(t, puts, gets)
}

func TestScriptDoesNotShiftRandomFaults(t *testing.T) {
	t.Parallel()
	run := func(scripted bool) []string {
		client, transport, _ := setup(t, everything(7), 1)
		var seen []string
		for i := range 100 {
			if scripted && i == 50 {
				transport.Next(faults.Conflict{}, nil)
			}
			_, err := client.TransactWriteItems(t.Context(), transaction("a", "b", "c"))
			seen = append(seen, outcome(err))
		}
		return seen
	}
	plain, scripted := run(false), run(true)
	require.Contains(t, scripted[50], "[TransactionConflict, TransactionConflict, TransactionConflict]")
	require.Equal(t, plain[:50], scripted[:50])
	require.Equal(t, plain[51:], scripted[51:])
}

// TestProbabilities counts what a fixed seed injects. The bounds are five standard deviations wide.
func TestProbabilities(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, everything(1), 1)
	const requests = 2000
	for range requests {
		_, _ = client.TransactWriteItems(t.Context(), transaction("a", "b")) // counted below
	}
	counts := transport.Counts()
	for _, kind := range []string{"Conflict", "PartConflict", "PartThrottle", "Throttle", "Internal", "LoseRequest", "LoseReply"} {
		require.InDelta(t, requests/10, counts[kind], 68, kind)
	}
	require.Zero(t, counts["Unprocessed"], "it cannot happen to this operation, and no other kind takes its share")
}

func TestMaxInRow(t *testing.T) {
	t.Parallel()
	seen, executed := outcomes(t, faults.Plan{Internal: 1, MaxInRow: 2}, 9, 1)
	const internal = "InternalServerError: Internal server error"
	require.Equal(t, []string{internal, internal, "ok", internal, internal, "ok", internal, internal, "ok"}, seen)
	require.Equal(t, 3, executed)
}

// TestMaxInRowCountsFromTheLastThatPassed applies the rule to the faults that the same seed gives without it.
func TestMaxInRowCountsFromTheLastThatPassed(t *testing.T) {
	t.Parallel()
	want, _ := outcomes(t, faults.Plan{Seed: 4, Throttle: 0.6}, 200, 0)
	inRow := 0
	for i := range want {
		if inRow == 2 {
			want[i] = "ok"
		}
		if inRow++; want[i] == "ok" {
			inRow = 0
		}
	}
	got, _ := outcomes(t, faults.Plan{Seed: 4, Throttle: 0.6, MaxInRow: 2}, 200, 0)
	require.Equal(t, want, got)
}

func TestMaxInRowBelowTheAttemptsGetsThrough(t *testing.T) {
	t.Parallel()
	client, _, _ := setup(t, faults.Plan{Seed: 5, Throttle: 0.4, LoseReply: 0.5, MaxInRow: 2}, 3)
	for range 200 {
		_, err := client.PutItem(t.Context(), put("a"))
		require.NoError(t, err)
	}
}

func TestOnlyLimitsFaultsAndDelays(t *testing.T) {
	t.Parallel()
	var delayed []string
	client, transport, _ := setup(t, faults.Plan{
		Internal: 1,
		Only:     faults.Ops("PutItem"),
		Delay: func(op string) time.Duration {
			delayed = append(delayed, op)
			return 0
		},
	}, 1)
	_, err := client.GetItem(t.Context(), get("a"))
	require.NoError(t, err)
	_, err = client.PutItem(t.Context(), put("a"))
	require.Error(t, err)
	require.Equal(t, []string{"PutItem"}, delayed)
	transport.Next(faults.LoseRequest{}, faults.Ops("GetItem"))
	_, err = client.GetItem(t.Context(), get("a"))
	require.Error(t, err, "a script is not limited")
}

func TestDelayGoesThroughSleep(t *testing.T) {
	t.Parallel()
	var slept []time.Duration
	client, _, db := setup(t, faults.Plan{
		Delay: func(op string) time.Duration {
			if op == "GetItem" {
				return time.Hour
			}
			return 0
		},
		Sleep: func(_ context.Context, d time.Duration) error {
			slept = append(slept, d)
			return nil
		},
	}, 1)
	_, err := client.GetItem(t.Context(), get("a"))
	require.NoError(t, err)
	_, err = client.PutItem(t.Context(), put("a"))
	require.NoError(t, err)
	require.Equal(t, []time.Duration{time.Hour}, slept)
	require.Len(t, db.received(), 2)
}

func TestDefaultSleepWaits(t *testing.T) {
	t.Parallel()
	client, _, db := setup(t, faults.Plan{Delay: func(string) time.Duration { return time.Millisecond }}, 1)
	start := time.Now()
	_, err := client.GetItem(t.Context(), get("a"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(start), time.Millisecond)
	require.Len(t, db.received(), 1)
}

func TestDefaultSleepEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client, _, db := setup(t, faults.Plan{Delay: func(string) time.Duration {
		cancel()
		return time.Hour
	}}, 3)
	_, err := client.PutItem(ctx, put("a"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, db.received())
}
