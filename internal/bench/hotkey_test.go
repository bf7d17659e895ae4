package bench

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

const (
	hotBurst    = 50
	hotLimiters = 4
	hotCallers  = 64
	// requestTime is injected into every request: what DynamoDB takes, about.
	requestTime = 2 * time.Millisecond
)

type decide = func(ctx context.Context, key string) (allowed bool, err error)

// BenchmarkHotKey compares limiters on one key that 4 processes with 64 callers each ask for, with 2 ms for a request.
// It reports decisions/s, requests per decision, and how many of 50 units were admitted (more is too many).
func BenchmarkHotKey(b *testing.B) {
	window := 24 * time.Hour // nothing comes back during the run
	limits := ratelimit.Table{Name: table}
	ours := func(make func(ratelimit.Client) (ratelimit.Limiter, error)) func(*testing.B, *dynamodb.Client) decide {
		return func(b *testing.B, client *dynamodb.Client) decide {
			limiter, err := make(client)
			require.NoError(b, err)
			return func(ctx context.Context, key string) (bool, error) {
				d, err := limiter.Allow(ctx, key)
				return d.Allowed, err
			}
		}
	}
	bucket := ours(func(c ratelimit.Client) (ratelimit.Limiter, error) {
		return ratelimit.NewTokenBucket(c, ratelimit.BucketConfig{Table: limits, Rate: hotBurst, Per: 50 * window, Burst: hotBurst})
	})
	for _, c := range []struct {
		name string
		make func(*testing.B, *dynamodb.Client) decide
	}{
		{"read_then_write", readThenWrite},
		{"increment_then_read", incrementThenRead},
		{"token_bucket", bucket},
		{"sliding_window", ours(func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewSlidingWindow(c, ratelimit.SlidingConfig{Table: limits, Limit: hotBurst, Window: window})
		})},
		{"fixed_window", ours(func(c ratelimit.Client) (ratelimit.Limiter, error) {
			return ratelimit.NewFixedWindow(c, ratelimit.FixedConfig{Table: limits, Limit: hotBurst, Window: window})
		})},
	} {
		b.Run(c.name, func(b *testing.B) { hotKey(b, c.make, func(int) string { return "hot" }) })
	}
	b.Run("token_bucket/own_keys", func(b *testing.B) { hotKey(b, bucket, func(i int) string { return strconv.Itoa(i) }) })
}

// hotKey makes b.N decisions from all callers and reports on them.
func hotKey(b *testing.B, makeLimiter func(*testing.B, *dynamodb.Client) decide, key func(i int) string) {
	db := memdynamo.New(memdynamo.Options{})
	_, err := db.Client().CreateTable(b.Context(), userstore.TableDefinition(table))
	require.NoError(b, err)
	var requests, admitted, next atomic.Int64
	transport, err := faults.New(db.Transport(), faults.Plan{
		Delay:   func(string) time.Duration { return requestTime },
		Observe: func(string, []byte) { requests.Add(1) },
	})
	require.NoError(b, err)
	client := func() *dynamodb.Client {
		return db.Client(func(o *dynamodb.Options) { o.HTTPClient = &http.Client{Transport: transport} })
	}
	var callers sync.WaitGroup
	b.ResetTimer()
	for range hotLimiters {
		allow := makeLimiter(b, client())
		for range hotCallers {
			callers.Go(func() {
				for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
					allowed, err := allow(b.Context(), key(int(i)))
					if err != nil {
						b.Error(err)
						return
					}
					if allowed {
						admitted.Add(1)
					}
				}
			})
		}
	}
	callers.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
	b.ReportMetric(float64(requests.Load())/float64(b.N), "requests/decision")
	if key(1) == key(2) {
		b.ReportMetric(float64(admitted.Load()), "admitted/50")
	}
}

// readThenWrite is the token bucket that most code has: read the count, decide, write it back.
func readThenWrite(_ *testing.B, client *dynamodb.Client) decide {
	return func(ctx context.Context, key string) (bool, error) {
		out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: baselineKey(key), ConsistentRead: aws.Bool(true)})
		if err != nil {
			return false, err
		}
		left := hotBurst
		if n, ok := out.Item["left"].(*types.AttributeValueMemberN); ok {
			left, _ = strconv.Atoi(n.Value)
		}
		if left == 0 {
			return false, nil
		}
		item := baselineKey(key)
		item["left"] = &types.AttributeValueMemberN{Value: strconv.Itoa(left - 1)}
		_, err = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(table), Item: item})
		return true, err
	}
}

// incrementThenRead is the window that counts every request first and looks at the count afterwards.
func incrementThenRead(_ *testing.B, client *dynamodb.Client) decide {
	return func(ctx context.Context, key string) (bool, error) {
		_, err := client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String(table), Key: baselineKey(key), UpdateExpression: aws.String("ADD seen :one"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
		})
		if err != nil {
			return false, err
		}
		out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: baselineKey(key), ConsistentRead: aws.Bool(true)})
		if err != nil {
			return false, err
		}
		n, _ := out.Item["seen"].(*types.AttributeValueMemberN)
		seen, err := strconv.Atoi(n.Value)
		return seen <= hotBurst, err
	}
}

func baselineKey(key string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "BASELINE#" + key}, "SK": &types.AttributeValueMemberS{Value: "COUNT"},
	}
}
