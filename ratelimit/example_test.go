package ratelimit_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/usercore-go/usercore/internal/memdynamo"
	"github.com/usercore-go/usercore/ratelimit"
)

// exampleClient returns a client of a DynamoDB with the table "limits".
func exampleClient() *dynamodb.Client {
	client := memdynamo.New(memdynamo.Options{}).Client()
	_, err := client.CreateTable(context.Background(), &dynamodb.CreateTableInput{
		TableName:   aws.String("limits"),
		BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("SK"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("SK"), KeyType: types.KeyTypeRange},
		},
	})
	if err != nil {
		panic(err)
	}
	return client
}

func Example() {
	client := exampleClient() // dynamodb.NewFromConfig(cfg)
	limiter, err := ratelimit.NewTokenBucket(client, ratelimit.BucketConfig{
		Table: ratelimit.Table{Name: "limits"},
		Rate:  1, Per: time.Hour, Burst: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		d, err := limiter.Allow(context.Background(), ratelimit.Key("api", "user-1"))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(d.Allowed, d.Remaining, d.RetryAfter.Round(time.Minute))
	}
	// Output:
	// true 1 0s
	// true 0 0s
	// false 0 1h0m0s
}

// A code is sent at most three times an hour, and a send counts only if the code is stored.
func ExampleSlidingWindow_TransactItem() {
	client := exampleClient()
	limiter, err := ratelimit.NewSlidingWindow(client, ratelimit.SlidingConfig{
		Table: ratelimit.Table{Name: "limits"},
		Limit: 3, Window: time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	storeCode := func(ctx context.Context, address, code string) error {
		admission, denial := limiter.TransactItem(ratelimit.Key("verify", address), time.Now())
		put := types.TransactWriteItem{Put: &types.Put{TableName: aws.String("limits"), Item: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "CODE#" + address}, "SK": &types.AttributeValueMemberS{Value: code},
		}}}
		_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{put, admission}})
		var cancelled *types.TransactionCanceledException
		if errors.As(err, &cancelled) && aws.ToString(cancelled.CancellationReasons[1].Code) == "ConditionalCheckFailed" {
			d := denial(cancelled.CancellationReasons[1].Item)
			return fmt.Errorf("limit of %d reached, try again in %v", d.Limit, d.RetryAfter.Round(time.Minute))
		}
		return err
	}
	for _, code := range []string{"111111", "222222", "333333", "444444"} {
		fmt.Println(storeCode(context.Background(), "ann@example.com", code))
	}
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// limit of 3 reached, try again in 1h0m0s
}

func ExampleMiddleware() {
	limiter, err := ratelimit.NewFixedWindow(exampleClient(), ratelimit.FixedConfig{
		Table: ratelimit.Table{Name: "limits"},
		Limit: 1, Window: time.Hour,
		OnFailure: ratelimit.Open,
		Now:       func() time.Time { return time.Unix(1705849200-900, 0) },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	byUser := func(r *http.Request) (string, bool) { return ratelimit.Key("user", r.Header.Get("X-User")), true }
	handler := ratelimit.Middleware(limiter, byUser, nil)(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "hello")
	}))
	for range 2 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		h := w.Header()
		fmt.Printf("%d, reset %s, retry after %q\n", w.Code, h.Get("X-RateLimit-Reset"), h.Get("Retry-After"))
	}
	// Output:
	// 200, reset 1705849200, retry after ""
	// 429, reset 1705849200, retry after "900"
}

func ExampleKey() {
	fmt.Println(ratelimit.Key("verify", "ann@example.com"))
	fmt.Println(ratelimit.Key("verify", "ann", "x"))
	fmt.Println(ratelimit.Key("verify", "ann#x"))
	// Output:
	// verify#ann@example.com
	// verify#ann#x
	// verify#ann%23x
}
