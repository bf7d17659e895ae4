package faults_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

func TestNextIsUsedOnceByTheFirstThatMatches(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{}, 1)
	transport.Next(faults.Internal{}, faults.Ops("PutItem", "DeleteItem"))
	transport.Next(faults.Throttle{}, nil)
	_, err := client.GetItem(t.Context(), get("a"))
	require.Contains(t, outcome(err), "ProvisionedThroughputExceededException")
	_, err = client.GetItem(t.Context(), get("a"))
	require.NoError(t, err)
	require.Equal(t, 1, transport.Pending())
	_, err = client.PutItem(t.Context(), put("a"))
	require.Contains(t, outcome(err), "InternalServerError")
	_, err = client.PutItem(t.Context(), put("a"))
	require.NoError(t, err)
	require.Zero(t, transport.Pending())
}

func TestNextWaitsForARequestToWhichItCanHappen(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{}, 1)
	transport.Next(faults.Conflict{}, nil)
	_, err := client.GetItem(t.Context(), get("a"))
	require.NoError(t, err)
	require.Equal(t, 1, transport.Pending())
	_, err = client.PutItem(t.Context(), put("a"))
	require.Contains(t, outcome(err), "TransactionConflictException")
}

func TestNilFaultLetsARequestPass(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{Internal: 1}, 1)
	transport.Next(nil, nil)
	_, err := client.PutItem(t.Context(), put("a"))
	require.NoError(t, err)
	_, err = client.PutItem(t.Context(), put("a"))
	require.Error(t, err)
	require.Equal(t, map[string]int{"PutItem": 2, "Internal": 1}, transport.Counts())
}
