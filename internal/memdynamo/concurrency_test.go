package memdynamo_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// together runs n goroutines and waits for them.
func together(n int, run func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { run(i) })
	}
	wg.Wait()
}

func TestOneOfManyConditionalPutsWins(t *testing.T) {
	h := setup(t)
	var won atomic.Int32
	together(100, func(i int) {
		_, err := h.client.PutItem(h.ctx, &dynamodb.PutItemInput{
			TableName: aws.String(tableName), Item: with(key("p", "s"), attrs{"by": N(strconv.Itoa(i))}),
			ConditionExpression: aws.String("attribute_not_exists(pk)"),
		})
		if err == nil {
			won.Add(1)
		}
	})
	require.EqualValues(t, 1, won.Load())
}

// TestTransfersKeepTheSum moves money between accounts while readers look: every transaction sees and leaves the same sum.
func TestTransfersKeepTheSum(t *testing.T) {
	h := setup(t)
	const accounts, each = 5, 100
	var reads []types.TransactGetItem
	for i := range accounts {
		pk := fmt.Sprint("account", i)
		h.put(with(key(pk, "s"), attrs{"balance": N(strconv.Itoa(each)), "g1pk": S("all"), "g1sk": S(pk)}))
		reads = append(reads, types.TransactGetItem{Get: &types.Get{TableName: aws.String(tableName), Key: key(pk, "s")}})
	}
	sum := func(items []attrs) (total int) {
		for _, it := range items {
			n, _ := strconv.Atoi(it["balance"].(*types.AttributeValueMemberN).Value)
			total += n
		}
		return total
	}
	var failed atomic.Int32
	together(20, func(g int) {
		for i := range 15 {
			from, to := fmt.Sprint("account", (g+i)%accounts), fmt.Sprint("account", (g+3*i+1)%accounts)
			if from == to {
				continue
			}
			err := h.transact(
				updateIf(from, "SET balance = balance - :n", "balance >= :n", attrs{":n": N("40")}),
				updateIf(to, "SET balance = balance + :n", "", attrs{":n": N("40")}),
			)
			var cancelled *types.TransactionCanceledException
			if err != nil && !errors.As(err, &cancelled) {
				failed.Add(1)
			}
			out, err := h.client.TransactGetItems(h.ctx, &dynamodb.TransactGetItemsInput{TransactItems: reads})
			if err != nil {
				failed.Add(1)
				continue
			}
			var items []attrs
			for _, r := range out.Responses {
				items = append(items, r.Item)
			}
			if sum(items) != accounts*each {
				failed.Add(1)
			}
		}
	})
	require.Zero(t, failed.Load())
	out := h.mustQuery(&dynamodb.QueryInput{
		IndexName: aws.String(indexName), KeyConditionExpression: aws.String("g1pk = :p"), ExpressionAttributeValues: attrs{":p": S("all")},
	})
	require.Len(t, out.Items, accounts)
	require.Equal(t, accounts*each, sum(out.Items), "the index agrees")
}

func TestOneTokenSentByManyCountsOnce(t *testing.T) {
	h := setup(t)
	together(50, func(int) {
		_, err := h.client.TransactWriteItems(h.ctx, &dynamodb.TransactWriteItemsInput{
			ClientRequestToken: aws.String("token"),
			TransactItems:      []types.TransactWriteItem{updateIf("p", "ADD n :one", "", attrs{":one": N("1")})},
		})
		if err != nil {
			t.Error(err)
		}
	})
	require.Equal(t, N("1"), h.get("p", "s")["n"])
}

// TestEverythingAtOnce is for the race detector: all kinds of requests, a moving clock, lag, expiry and snapshots.
func TestEverythingAtOnce(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now, IndexLag: time.Second, TTLLag: time.Second}, withStream("NEW_AND_OLD_IMAGES"))
	require.NoError(t, h.setTTL("ttl", true))
	together(32, func(g int) {
		for i := range 20 {
			pk := fmt.Sprint("p", (g+i)%7)
			var err error
			switch (g + i) % 6 {
			case 0:
				err = h.tryPut(expiring(pk, now.Now()))
			case 1:
				_, err = h.update("ADD n :n SET m = if_not_exists(m, :m)", attrs{
					":n": N("1"), ":m": M(attrs{"k": L(S("v"))}),
				}, nil, types.ReturnValueAllNew)
			case 2:
				_, err = h.client.Scan(h.ctx, &dynamodb.ScanInput{TableName: aws.String(tableName), IndexName: aws.String(indexName)})
			case 3:
				var out *dynamodb.GetItemOutput
				out, err = h.client.GetItem(h.ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key(pk, "s")})
				if err == nil && out.Item != nil {
					out.Item["pk"] = S("what a caller does to a reply stays with the caller")
				}
			case 4:
				err = h.transact(updateIf(pk, "SET m = :m", "", attrs{":m": M(attrs{"k": L()})}), deleteIf("q"+pk, ""))
			case 5:
				now.Advance(100 * time.Millisecond)
				err = h.db.Snapshot(discard{})
				h.db.Usage()
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	for _, it := range h.scanAll(dynamodb.ScanInput{}) {
		require.NotContains(t, texts([]attrs{it}, "pk")[0], "caller")
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
