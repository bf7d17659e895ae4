package consume_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/outbox/consume"
)

func guardOf(t *testing.T, w *world, kind string, e outbox.Event) *consume.Guard {
	t.Helper()
	var guard *consume.Guard
	var err error
	if kind == "state" {
		guard, err = w.state(t).Guard(e, stateOf(e))
	} else {
		guard, err = w.delta(t).Guard(e, changeOf(e))
	}
	require.NoError(t, err)
	return guard
}

// transact sends the effects and, as the last action, the guard.
func (w *world) transact(t *testing.T, guard *consume.Guard, effects ...types.TransactWriteItem) (consume.Outcome, error) {
	t.Helper()
	_, err := w.client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: append(effects, guard.Action())})
	if err == nil {
		return consume.Applied, nil
	}
	canceled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok {
		return consume.Unknown, err
	}
	reason := canceled.CancellationReasons[len(effects)]
	if aws.ToString(reason.Code) != "ConditionalCheckFailed" {
		return consume.Unknown, err
	}
	return guard.Outcome(reason.Item)
}

// increment is an effect on another item of the table.
func increment(counter string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String("foreign"), Key: consume.Item{"id": s(counter), "part": s("made")},
		UpdateExpression: aws.String("ADD made :one"), ExpressionAttributeValues: consume.Item{":one": n(1)},
	}}
}

// TestGuard has deliveries of one event compete: the effects of one are carried out.
func TestGuard(t *testing.T) {
	t.Parallel()
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, faults.Plan{})
			const deliveries = 16
			outcomes := make([]consume.Outcome, deliveries)
			errs := make([]error, deliveries)
			var running sync.WaitGroup
			guard := guardOf(t, w, kind, event("a", 1))
			for i := range deliveries {
				running.Go(func() { outcomes[i], errs[i] = w.transact(t, guard, increment("x"), increment("y")) })
			}
			running.Wait()
			applied := 0
			for i := range deliveries {
				require.NoError(t, errs[i])
				require.Contains(t, []consume.Outcome{consume.Applied, consume.Duplicate}, outcomes[i])
				if outcomes[i] == consume.Applied {
					applied++
				}
			}
			require.Equal(t, 1, applied)
			require.Equal(t, n(1), w.get(t, "x", "made")["made"])
			require.Equal(t, n(1), w.get(t, "y", "made")["made"])
			require.Equal(t, kinds[kind].want("a", 1), w.item(t, "a"))
		})
	}
}

func TestGuardOfAGapHasNoEffects(t *testing.T) {
	t.Parallel()
	w := newWorld(t, faults.Plan{})
	outcome, err := w.transact(t, guardOf(t, w, "delta", event("a", 2)), increment("x"))
	require.ErrorIs(t, err, consume.ErrGap)
	require.Equal(t, consume.Gap, outcome)
	require.Empty(t, w.get(t, "x", "made"))
}
