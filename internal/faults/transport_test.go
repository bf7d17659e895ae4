package faults_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

func TestNewNamesTheFieldItRejects(t *testing.T) {
	t.Parallel()
	for want, plan := range map[string]faults.Plan{
		"Plan.Conflict is -0.1":      {Conflict: -0.1},
		"Plan.LoseReply is 1.5":      {LoseReply: 1.5},
		"Plan.Throttle is NaN":       {Throttle: math.NaN()},
		"add up to 1.1":              {Internal: 0.6, PartThrottle: 0.5},
		"Plan.MaxInRow is -1":        {MaxInRow: -1},
		"Plan.Unprocessed is +Inf":   {Unprocessed: math.Inf(1)},
		"Plan.PartConflict is 2":     {PartConflict: 2},
		"Plan.LoseRequest is -1e-09": {LoseRequest: -1e-9},
	} {
		_, err := faults.New(&engine{}, plan)
		require.ErrorContains(t, err, want)
	}
	_, err := faults.New(nil, faults.Plan{})
	require.ErrorContains(t, err, "next is nil")
	sevenths := faults.Plan{Conflict: 1.0 / 7, PartConflict: 1.0 / 7, PartThrottle: 1.0 / 7, Throttle: 1.0 / 7, Internal: 1.0 / 7,
		LoseRequest: 1.0 / 7, LoseReply: 1.0 / 7}
	_, err = faults.New(&engine{}, sevenths)
	require.NoError(t, err)
}

func TestZeroPlanPassesEverything(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{}, 1)
	for range 50 {
		_, err := client.PutItem(t.Context(), put("a"))
		require.NoError(t, err)
		_, err = client.TransactWriteItems(t.Context(), transaction("a", "b"))
		require.NoError(t, err)
	}
	require.Len(t, db.received(), 100)
	require.Equal(t, map[string]int{"PutItem": 50, "TransactWriteItems": 50}, transport.Counts())
}

func TestObserveSeesWhatReachesTheEngine(t *testing.T) {
	t.Parallel()
	var seen []received
	client, transport, db := setup(t, faults.Plan{Observe: func(op string, body []byte) {
		seen = append(seen, received{op, append([]byte(nil), body...)})
	}}, 1)
	transport.Next(faults.LoseRequest{}, nil)
	transport.Next(faults.LoseReply{}, nil)
	for range 3 {
		_, _ = client.PutItem(t.Context(), put("a")) // two of them fail as scripted
	}
	require.Equal(t, db.received(), seen)
	require.Len(t, seen, 2)
	require.Equal(t, map[string]int{"PutItem": 3, "LoseRequest": 1, "LoseReply": 1}, transport.Counts())
}

func TestRequestOfAnotherProtocolPassesUntouched(t *testing.T) {
	t.Parallel()
	db := &engine{}
	transport, err := faults.New(db, faults.Plan{Internal: 1})
	require.NoError(t, err)
	client := &http.Client{Transport: transport}
	reply, err := client.Post("http://dynamodb.test/", "text/plain", strings.NewReader("hello"))
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.Empty(t, transport.Counts())
}

// closingBody fails on read and remembers that it was closed.
type closingBody struct{ closed bool }

var errBody = errors.New("body breaks")

func (b *closingBody) Read([]byte) (int, error) { return 0, errBody }
func (b *closingBody) Close() error             { b.closed = true; return nil }

func TestBodyIsClosedWhenItCannotBeRead(t *testing.T) {
	t.Parallel()
	transport, err := faults.New(&engine{}, faults.Plan{})
	require.NoError(t, err)
	body := &closingBody{}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://dynamodb.test/", body)
	require.NoError(t, err)
	req.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
	_, err = transport.RoundTrip(req)
	require.ErrorIs(t, err, errBody)
	require.True(t, body.closed)
}

func TestMalformedBodiesReachTheEngine(t *testing.T) {
	t.Parallel()
	for _, op := range []string{"TransactWriteItems", "TransactGetItems", "BatchWriteItem", "BatchGetItem"} {
		for _, body := range []string{
			"", "null", "[]", "{", `{"TransactItems":7}`, `{"TransactItems":[]}`, `{"RequestItems":null}`, `{"RequestItems":[]}`,
			`{"RequestItems":{"main":null}}`, `{"RequestItems":{"main":{}}}`, `{"RequestItems":{"main":[]}}`, `{"RequestItems":{"main":"x"}}`,
		} {
			db := &engine{}
			transport, err := faults.New(db, faults.Plan{Conflict: 0.25, PartConflict: 0.25, PartThrottle: 0.25, Unprocessed: 0.25})
			require.NoError(t, err)
			for range 8 {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://dynamodb.test/", strings.NewReader(body))
				require.NoError(t, err)
				req.Header.Set("X-Amz-Target", "DynamoDB_20120810."+op)
				reply, err := transport.RoundTrip(req)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, reply.StatusCode)
				_, err = io.Copy(io.Discard, reply.Body)
				require.NoError(t, err)
			}
			require.Len(t, db.received(), 8, "%s %s", op, body)
		}
	}
}

// TestConcurrentUse is for the race detector; the counts at its end show that no request was lost or counted twice.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	const callers, rounds = 8, 40
	reached := 0
	client, transport, db := setup(t, faults.Plan{
		Seed: 1, Conflict: 0.1, Throttle: 0.2, LoseReply: 0.1, LoseRequest: 0.1,
		Observe: func(string, []byte) { reached++ },
	}, 1)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range rounds {
				release, _ := transport.Hold(faults.Ops("PutItem"))
				release()
				transport.Next(faults.Internal{}, faults.Ops("GetItem"))
				_, _ = client.PutItem(t.Context(), put("a")) // whether it fails is up to the plan
				_, _ = client.GetItem(t.Context(), get("a"))
				transport.Counts()
			}
		})
	}
	group.Wait()
	counts := transport.Counts()
	require.Equal(t, callers*rounds, counts["PutItem"])
	require.Equal(t, callers*rounds, counts["GetItem"])
	require.Equal(t, callers*rounds, counts["Internal"])
	require.Zero(t, transport.Pending())
	require.Equal(t, 2*callers*rounds-counts["Internal"]-counts["Conflict"]-counts["Throttle"]-counts["LoseRequest"], reached)
	require.Len(t, db.received(), reached)
}
