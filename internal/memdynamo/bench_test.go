package memdynamo_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// filled returns an engine with so many items, each in its own partition and in the index.
func filled(b *testing.B, count int) (*memdynamo.DB, *dynamodb.Client) {
	b.Helper()
	db := memdynamo.New(memdynamo.Options{})
	client := db.Client()
	_, err := client.CreateTable(b.Context(), tableInput())
	require.NoError(b, err)
	for start := 0; start < count; start += 25 {
		var batch []types.WriteRequest
		for i := start; i < start+25; i++ {
			batch = append(batch, types.WriteRequest{PutRequest: &types.PutRequest{Item: benchItem(i)}})
		}
		_, err := client.BatchWriteItem(b.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{tableName: batch},
		})
		require.NoError(b, err)
	}
	return db, client
}

func benchItem(i int) attrs {
	return with(key(fmt.Sprintf("USER#%d", i), "PROFILE"), attrs{
		"firstName": S("Ada"), "lastName": S("Lovelace"), "version": N("1"), "createdAt": S("2026-01-02T03:04:05.000Z"),
		"g1pk": S(fmt.Sprintf("EMAIL#%d@example.com", i)), "g1sk": S("USER"),
	})
}

func bySize(b *testing.B, run func(b *testing.B, client *dynamodb.Client, count int)) {
	for _, count := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("items=%d", count), func(b *testing.B) {
			_, client := filled(b, count)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, client, count)
		})
	}
}

func BenchmarkGetItem(b *testing.B) {
	bySize(b, func(b *testing.B, client *dynamodb.Client, count int) {
		for i := 0; b.Loop(); i++ {
			_, err := client.GetItem(b.Context(), &dynamodb.GetItemInput{
				TableName: aws.String(tableName), Key: key(fmt.Sprintf("USER#%d", i*7919%count), "PROFILE"),
			})
			require.NoError(b, err)
		}
	})
}

func BenchmarkQueryOneRow(b *testing.B) {
	bySize(b, func(b *testing.B, client *dynamodb.Client, count int) {
		for i := 0; b.Loop(); i++ {
			out, err := client.Query(b.Context(), &dynamodb.QueryInput{
				TableName: aws.String(tableName), KeyConditionExpression: aws.String("pk = :p AND begins_with(sk, :s)"),
				ExpressionAttributeValues: attrs{":p": S(fmt.Sprintf("USER#%d", i*7919%count)), ":s": S("PRO")},
			})
			require.NoError(b, err)
			require.Len(b, out.Items, 1)
		}
	})
}

func BenchmarkTransactThreeActions(b *testing.B) {
	bySize(b, func(b *testing.B, client *dynamodb.Client, count int) {
		for i := 0; b.Loop(); i++ {
			user := fmt.Sprintf("USER#%d", i*7919%count)
			_, err := client.TransactWriteItems(b.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
				{Update: &types.Update{
					TableName: aws.String(tableName), Key: key(user, "PROFILE"),
					UpdateExpression: aws.String("SET version = version + :one"), ConditionExpression: aws.String("attribute_exists(pk)"),
					ExpressionAttributeValues: attrs{":one": N("1")},
				}},
				{Put: &types.Put{TableName: aws.String(tableName), Item: with(key(user, "EVENT"), attrs{"n": N("1")})}},
				{ConditionCheck: &types.ConditionCheck{
					TableName: aws.String(tableName), Key: key(user, "CLAIM"), ConditionExpression: aws.String("attribute_not_exists(pk)"),
				}},
			}})
			require.NoError(b, err)
		}
	})
}

// BenchmarkEngineGetItem leaves the SDK out: what remains is the engine's share of BenchmarkGetItem.
func BenchmarkEngineGetItem(b *testing.B) {
	db, _ := filled(b, 10_000)
	transport := db.Transport()
	const body = `{"TableName":"things","Key":{"pk":{"S":"USER#7"},"sk":{"S":"PROFILE"}}}`
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequest(http.MethodPost, "http://memdynamo.invalid/", strings.NewReader(body))
		require.NoError(b, err)
		req.Header.Set("X-Amz-Target", "DynamoDB_20120810.GetItem")
		resp, err := transport.RoundTrip(req)
		require.NoError(b, err)
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(b, err)
	}
}
