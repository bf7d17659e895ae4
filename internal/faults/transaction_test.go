package faults_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
)

func TestTransactionIsCancelledAndNotRepeated(t *testing.T) {
	t.Parallel()
	const none, conflict, throttled = "None", "TransactionConflict", "ThrottlingError"
	for name, c := range map[string]struct {
		fault faults.Fault
		codes []string
	}{
		"conflict_of_all":   {faults.Conflict{}, []string{conflict, conflict, conflict}},
		"conflict_of_first": {faults.PartConflict{}, []string{conflict, none, none}},
		"conflict_of_last":  {faults.PartConflict{Index: 2}, []string{none, none, conflict}},
		"throttle_of_one":   {faults.PartThrottle{Index: 1}, []string{none, throttled, none}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, transport, db := setup(t, faults.Plan{}, 3)
			transport.Next(c.fault, nil)
			_, err := client.TransactWriteItems(t.Context(), transaction("a", "b", "c"))
			requireCancelled(t, err, c.codes...)
			transport.Next(c.fault, nil)
			_, err = client.TransactGetItems(t.Context(), transactGet("a", "b", "c"))
			requireCancelled(t, err, c.codes...)
			require.Empty(t, db.received())
			require.Equal(t, map[string]int{"TransactWriteItems": 1, "TransactGetItems": 1, c.fault.Kind(): 2}, transport.Counts())
		})
	}
}

func TestConflictOfSingleWrite(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{Conflict: 1}, 3)
	for name, write := range map[string]func(context.Context) error{
		"PutItem": func(ctx context.Context) error {
			_, err := client.PutItem(ctx, put("a"))
			return err
		},
		"UpdateItem": func(ctx context.Context) error {
			_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{TableName: aws.String("main"), Key: key("a")})
			return err
		},
		"DeleteItem": func(ctx context.Context) error {
			_, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String("main"), Key: key("a")})
			return err
		},
	} {
		var conflict *types.TransactionConflictException
		require.ErrorAs(t, write(t.Context()), &conflict, name)
		require.Equal(t, "Transaction is ongoing for the item", conflict.ErrorMessage())
		require.Equal(t, 1, transport.Counts()[name])
	}
	require.Empty(t, db.received())
}

func TestConflictsDoNotHappenToReads(t *testing.T) {
	t.Parallel()
	client, transport, db := setup(t, faults.Plan{Conflict: 0.5, PartConflict: 0.5}, 1)
	for range 20 {
		_, err := client.GetItem(t.Context(), get("a"))
		require.NoError(t, err)
	}
	require.Len(t, db.received(), 20)
	require.Equal(t, map[string]int{"GetItem": 20}, transport.Counts())
}

func TestPartIsOneOfTheTransaction(t *testing.T) {
	t.Parallel()
	client, transport, _ := setup(t, faults.Plan{}, 1)
	transport.Next(faults.PartConflict{Index: 2}, nil)
	transport.Next(faults.PartConflict{Index: -1}, nil)
	_, err := client.TransactWriteItems(t.Context(), transaction("a", "b"))
	require.NoError(t, err)
	require.Equal(t, 2, transport.Pending())
	_, err = client.TransactWriteItems(t.Context(), transaction("a", "b", "c"))
	requireCancelled(t, err, "None", "None", "TransactionConflict")
	require.Equal(t, 1, transport.Pending())
}

func TestRandomPartReachesEveryIndex(t *testing.T) {
	t.Parallel()
	client, _, _ := setup(t, faults.Plan{PartConflict: 1}, 1)
	hit := make([]int, 4)
	for range 200 {
		_, err := client.TransactWriteItems(t.Context(), transaction("a", "b", "c", "d"))
		var cancelled *types.TransactionCanceledException
		require.ErrorAs(t, err, &cancelled)
		for i, reason := range cancelled.CancellationReasons {
			if aws.ToString(reason.Code) == "TransactionConflict" {
				hit[i]++
			}
		}
	}
	require.NotContains(t, hit, 0)
	require.Equal(t, 200, hit[0]+hit[1]+hit[2]+hit[3])
}

func requireCancelled(t *testing.T, err error, codes ...string) {
	t.Helper()
	var cancelled *types.TransactionCanceledException
	require.ErrorAs(t, err, &cancelled)
	require.Contains(t, cancelled.ErrorMessage(), "Transaction cancelled")
	got := make([]string, len(cancelled.CancellationReasons))
	for i, reason := range cancelled.CancellationReasons {
		got[i] = aws.ToString(reason.Code)
		require.Equal(t, got[i] == "None", reason.Message == nil)
	}
	require.Equal(t, codes, got)
}

func transactGet(names ...string) *dynamodb.TransactGetItemsInput {
	input := &dynamodb.TransactGetItemsInput{}
	for _, name := range names {
		input.TransactItems = append(input.TransactItems, types.TransactGetItem{
			Get: &types.Get{TableName: aws.String("main"), Key: key(name)},
		})
	}
	return input
}
