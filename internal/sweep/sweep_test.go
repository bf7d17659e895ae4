package sweep_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/sweep"
)

var errVisit = errors.New("the page cannot be worked on")

// pages is a table whose every segment has two pages of one item each, and reads one item more that a filter leaves out.
type pages struct {
	dynamo.Client
	fail error
}

func (p pages) Scan(_ context.Context, in *dynamodb.ScanInput, _ ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	if p.fail != nil {
		return nil, p.fail
	}
	page := 0
	if in.ExclusiveStartKey != nil {
		page = 1
	}
	item := dynamo.Item{"PK": &types.AttributeValueMemberS{Value: fmt.Sprintf("%d/%d page %d", *in.Segment, *in.TotalSegments, page)}}
	out := &dynamodb.ScanOutput{Items: []dynamo.Item{item}, ScannedCount: 2}
	if page == 0 {
		out.LastEvaluatedKey = item
	}
	return out, nil
}

// visitor notes the items that it is shown, and fails at one of them.
type visitor struct {
	seen   []string
	failAt string
}

func (v *visitor) visit(_ context.Context, items []dynamo.Item) error {
	for _, item := range items {
		pk := item["PK"].(*types.AttributeValueMemberS).Value
		if pk == v.failAt {
			return errVisit
		}
		v.seen = append(v.seen, pk)
	}
	return nil
}

func over(client dynamo.Client, v *visitor) sweep.Sweep {
	return sweep.Sweep{Client: client, Pace: sweep.NewPace(sweep.HighestRate), Visit: v.visit}
}

func TestRunVisitsEveryPageOnce(t *testing.T) {
	t.Parallel()
	var (
		v     visitor
		items []int64
		next  []string
	)
	s := over(pages{}, &v)
	s.Progress = func(n int64, token string) { items, next = append(items, n), append(next, token) }
	token, err := s.Run(t.Context(), "126/128")
	require.NoError(t, err)
	require.Empty(t, token)
	require.Equal(t, []string{"126/128 page 0", "126/128 page 1", "127/128 page 0", "127/128 page 1"}, v.seen)
	require.Equal(t, []int64{2, 4, 6, 8}, items, "items that a filter left out count")
	require.Equal(t, []string{"126/128", "127/128", "127/128", ""}, next, "a segment is done with its last page")

	var all visitor
	_, err = over(pages{}, &all).Run(t.Context(), "")
	require.NoError(t, err)
	require.Len(t, all.seen, 2*128)
	require.Equal(t, "0/128 page 0", all.seen[0])
}

func TestRunGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	v := visitor{failAt: "1/3 page 1"}
	token, err := over(pages{}, &v).Run(t.Context(), "0/3")
	require.ErrorIs(t, err, errVisit)
	require.Equal(t, "1/3", token)
	require.Equal(t, []string{"0/3 page 0", "0/3 page 1", "1/3 page 0"}, v.seen)

	v = visitor{}
	token, err = over(pages{}, &v).Run(t.Context(), token)
	require.NoError(t, err)
	require.Empty(t, token)
	require.Equal(t, []string{"1/3 page 0", "1/3 page 1", "2/3 page 0", "2/3 page 1"}, v.seen, "a segment that was begun is visited again")
}

func TestRunEndsWithTheErrorOfARead(t *testing.T) {
	t.Parallel()
	var v visitor
	token, err := over(pages{fail: errors.New("no answer")}, &v).Run(t.Context(), "1/3")
	require.ErrorIs(t, err, dynamo.ErrUnavailable)
	require.Equal(t, "1/3", token)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	token, err = over(pages{}, &v).Run(ctx, "2/3")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "2/3", token)
	require.Empty(t, v.seen)
}

func TestRunRefusesAToken(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"1", "/", "a/b", "3/3", "-1/3", "0/0", "1/1000001", "01/3", " 1/3", "1/3 ", "1/3/5", "+1/3"} {
		var v visitor
		next, err := over(pages{}, &v).Run(t.Context(), token)
		require.ErrorIs(t, err, sweep.ErrToken, token)
		require.Empty(t, next, token)
		require.Empty(t, v.seen, token)
	}
}
