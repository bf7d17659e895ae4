package account_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// queries answers each Query with the next list of items, and the last one for ever.
type queries struct {
	dynamo.Client
	answers [][]dynamo.Item
	asked   int
}

func (q *queries) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	i := min(q.asked, len(q.answers)-1)
	q.asked++
	return &dynamodb.QueryOutput{Items: q.answers[i]}, nil
}

func profile(seq int64, emails int64, primary string) dynamo.Item {
	return table.Profile{UserID: "u1", Status: table.Active, Seq: seq, EmailCount: emails, PrimaryEmailID: primary}.Item()
}

func row(id string, verified bool) dynamo.Item {
	return table.Email{EmailID: id, UserID: "u1", Email: id + "@example.com", IsVerified: verified}.Item()
}

func TestLoadReadsUntilNothingIsTorn(t *testing.T) {
	t.Parallel()
	whole := []dynamo.Item{row("e1", true), profile(2, 1, "e1")}
	for name, torn := range map[string][]dynamo.Item{
		"row_missing":         {profile(1, 1, "e1")},
		"row_too_many":        {row("e1", true), row("e2", false), profile(1, 1, "e1")},
		"primary_missing":     {row("e2", true), profile(1, 1, "e1")},
		"primary_unverified":  {row("e1", false), profile(1, 1, "e1")},
		"verified_no_primary": {row("e1", true), profile(1, 1, "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := &queries{answers: [][]dynamo.Item{torn, torn, whole}}
				kernel, err := account.New(client, account.Config{Table: "users"})
				require.NoError(t, err)
				acc, err := kernel.Load(t.Context(), "u1", table.FromEmails)
				require.NoError(t, err)
				require.EqualValues(t, 2, acc.Profile.Seq)
				require.Equal(t, 3, client.asked)
			})
		})
	}
}

func TestLoadEndsOnContradictions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := &queries{answers: [][]dynamo.Item{{profile(1, 1, "e1")}}}
		kernel, err := account.New(client, account.Config{Table: "users"})
		require.NoError(t, err)
		_, err = kernel.Load(t.Context(), "u1", table.FromEmails)
		require.ErrorIs(t, err, account.ErrCorrupt)
		require.Equal(t, 8, client.asked)
	})
}

func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		client := &queries{answers: [][]dynamo.Item{{profile(1, 1, "e1")}}}
		kernel, err := account.New(client, account.Config{Table: "users"})
		require.NoError(t, err)
		_, err = kernel.Load(ctx, "u1", table.FromEmails)
		require.ErrorIs(t, err, account.ErrContention)
	})
}

func TestLoadOfNobody(t *testing.T) {
	t.Parallel()
	client := &queries{answers: [][]dynamo.Item{nil}}
	kernel, err := account.New(client, account.Config{Table: "users"})
	require.NoError(t, err)
	_, err = kernel.Load(t.Context(), "u1", table.FromEmails)
	require.ErrorIs(t, err, account.ErrNotFound)
}
