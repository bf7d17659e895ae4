package faults_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

// TestHoldPlaysAnInterleaving lets the second write overtake the first.
func TestHoldPlaysAnInterleaving(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 1)
	release, arrived := transport.Hold(faults.Ops("PutItem"))
	first := make(chan error, 1)
	go func() {
		_, err := client.PutItem(t.Context(), put("first"))
		first <- err
	}()
	<-arrived
	require.Empty(t, db.received())
	_, err := client.GetItem(t.Context(), get("a"))
	require.NoError(t, err, "only what matches is held")
	_, err = client.PutItem(t.Context(), put("second"))
	require.NoError(t, err, "only one request is held")
	release()
	release()
	require.NoError(t, <-first)
	requests := db.received()
	require.Len(t, requests, 3)
	require.Contains(t, string(requests[1].body), "second")
	require.Contains(t, string(requests[2].body), "first")
}

func TestGatesAreUsedInOrder(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{}, 1)
	releaseFirst, firstArrived := transport.Hold(nil)
	releaseSecond, secondArrived := transport.Hold(nil)
	done := make(chan error, 1)
	write := func() {
		_, err := client.PutItem(t.Context(), put("a"))
		done <- err
	}
	go write()
	<-firstArrived
	select {
	case <-secondArrived:
		t.Fatal("one request stands at two gates")
	default:
	}
	go write()
	<-secondArrived
	releaseSecond()
	require.NoError(t, <-done)
	releaseFirst()
	require.NoError(t, <-done)
}

func TestGateReleasedBeforeTheRequestArrives(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{}, 1)
	release, arrived := transport.Hold(nil)
	release()
	_, err := client.PutItem(t.Context(), put("a"))
	require.NoError(t, err)
	<-arrived
}

func TestHeldRequestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 3)
	_, arrived := transport.Hold(nil)
	transport.Next(faults.LoseReply{}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := client.PutItem(ctx, put("a"))
		done <- err
	}()
	<-arrived
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Empty(t, db.received())
	require.Equal(t, map[string]int{"PutItem": 1}, transport.Counts(), "a fault that was not injected is not counted")
}

func TestHeldRequestThenIsDelayedAndMeetsItsFault(t *testing.T) {
	t.Parallel()
	var slept time.Duration
	client, transport, db := setup(t, faults.Plan{
		Delay: func(string) time.Duration { return time.Hour },
		Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil },
	}, 1)
	release, arrived := transport.Hold(nil)
	transport.Next(faults.LoseReply{}, nil)
	done := make(chan error, 1)
	go func() {
		_, err := client.PutItem(t.Context(), put("a"))
		done <- err
	}()
	<-arrived
	release()
	require.Equal(t, "lost", outcome(<-done))
	require.Equal(t, time.Hour, slept)
	require.Len(t, db.received(), 1)
}
