package cognitosync_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

// bulk lets userstore make the items of many new accounts and writes them in batches: one request for each would take most of the test's
// time. It drops the conditions, which all hold for accounts that have nothing in common.
type bulk struct {
	*dynamodb.Client
	pending []types.WriteRequest
}

const batchSize = 25

func (b *bulk) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	for _, action := range in.TransactItems {
		if action.Put == nil {
			return nil, errors.New("bulk takes new accounts alone")
		}
		b.pending = append(b.pending, types.WriteRequest{PutRequest: &types.PutRequest{Item: action.Put.Item}})
	}
	for len(b.pending) >= batchSize {
		if err := b.flush(ctx, batchSize); err != nil {
			return nil, err
		}
	}
	return &dynamodb.TransactWriteItemsOutput{}, nil
}

func (b *bulk) flush(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	_, err := b.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{tableName: b.pending[:n]}})
	b.pending = b.pending[n:]
	return err
}

// fill makes n accounts, on two processors.
func (w *world) fill(t testing.TB, n int, user func(i int) userstore.NewUser) {
	t.Helper()
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for worker := range errs {
		wg.Go(func() { errs[worker] = w.fillPart(t.Context(), worker, len(errs), n, user) })
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}

func (w *world) fillPart(ctx context.Context, from, step, n int, user func(i int) userstore.NewUser) error {
	b := &bulk{Client: w.client}
	users, err := userstore.New(b, userstore.Config{Table: tableName})
	for i := from; i < n && err == nil; i += step {
		_, err = users.Create(ctx, user(i))
	}
	return errors.Join(err, b.flush(ctx, len(b.pending)))
}
