package memdynamo_test

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

// post sends a request without the SDK and returns the status and the decoded answer.
func post(t testing.TB, db *memdynamo.DB, target, body string) (int, map[string]any) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("X-Amz-Target", target)
	rec := httptest.NewRecorder()
	db.ServeHTTP(rec, req)
	require.Equal(t, "application/x-amz-json-1.0", rec.Header().Get("Content-Type"))
	require.Equal(t, strconv.Itoa(int(crc32.ChecksumIEEE(rec.Body.Bytes()))), rec.Header().Get("X-Amz-Crc32"))
	require.NotEmpty(t, rec.Header().Get("X-Amzn-Requestid"))
	var answer map[string]any
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &answer), rec.Body.String())
	if rec.Code != http.StatusOK {
		require.Contains(t, answer["__type"], "#")
	}
	return rec.Code, answer
}

func TestServesClientsOverHTTP(t *testing.T) {
	h := setup(t)
	server := httptest.NewServer(h.db)
	defer server.Close()
	h.client = h.db.Client(func(o *dynamodb.Options) {
		o.BaseEndpoint, o.HTTPClient = aws.String(server.URL), server.Client()
	})
	h.put(with(key("a", "s"), attrs{"v": S("x")}))
	require.Equal(t, S("x"), h.get("a", "s")["v"])
	requireCode(t, validation, h.tryPut(attrs{"pk": S("a")}))
	require.Equal(t, S("x"), h.get("a", "s")["v"])
}

func TestMalformedRequests(t *testing.T) {
	h := setup(t)
	const target = "DynamoDB_20120810.PutItem"
	for body, want := range map[string]string{
		``:                           "SerializationException",
		`[]`:                         "SerializationException",
		`{`:                          "SerializationException",
		`{"TableName"`:               "SerializationException",
		`{"TableName":}`:             "SerializationException",
		`{"TableName":"things",}`:    "SerializationException",
		`{"TableName":"things"} x`:   "SerializationException",
		`{"TableName":7}`:            "SerializationException",
		"{\"TableName\":\"a\nb\"}":   "SerializationException",
		`{"TableName":"\u00"}`:       "SerializationException",
		"{\"TableName\":\"a\"\x00}":  "SerializationException",
		`{"Item":{"pk":{"X":"a"}}}`:  "SerializationException",
		`{"Item":{"pk":{"BOOL":1}}}`: "SerializationException",
		`{"Item":{"pk":{"B":"%"}}}`:  "SerializationException",
		`{"Item":{"pk":{"S":"a"},"pk":{"S":"b"}}}`: "SerializationException",
		`{"Item":{"pk":{}}}`:                       validation,
		`{"Item":{"pk":{"S":null}}}`:               validation,
		`{"Item":{"pk":{"S":"a","N":"1"}}}`:        validation,
		`{}`:                                       validation,
		`{"TableName":"things"}`:                   validation,
		`{"TableName":"things","Items":{}}`:        validation,
		`{"TableName":"things","Key":{}}`:          validation,
		`{"TableName":"things","Expected":{}}`:     validation,
		`{"TableName":"things","Item":{"pk":{"S":"a"},"sk":{"S":"a"}},"ReturnConsumedCapacity":"SOME"}`:              validation,
		`{"TableName":"things","Item":{"pk":{"S":"a"},"sk":{"S":"a"}},"ReturnItemCollectionMetrics":"SOME"}`:         validation,
		`{"TableName":"things","Item":{"pk":{"S":"a"},"sk":{"S":"a"}},"ReturnValuesOnConditionCheckFailure":"SOME"}`: validation,
	} {
		status, answer := post(t, h.db, target, body)
		require.Equal(t, http.StatusBadRequest, status, body)
		require.True(t, strings.HasSuffix(answer["__type"].(string), "#"+want), "%s: %v", body, answer)
		require.NotEmpty(t, answer["message"], body)
	}
	status, _ := post(t, h.db, target, ` { "TableName" : "things" , "ConditionExpression" : null ,
		"Item" : { "pk" : { "S" : "\u0061\ud834\udd1e" } , "sk" : {"S":"s"} } } `)
	require.Equal(t, http.StatusOK, status)
	require.NotNil(t, h.get("a𝄞", "s"))
}

func TestUnknownOperations(t *testing.T) {
	h := setup(t)
	_, err := h.client.ExecuteStatement(h.ctx, &dynamodb.ExecuteStatementInput{Statement: aws.String("SELECT * FROM things")})
	requireCode(t, "UnknownOperationException", err)
	for _, target := range []string{"", "GetItem", "DynamoDB_20111205.GetItem", "DynamoDB_20120810.Nothing"} {
		status, answer := post(t, h.db, target, "{}")
		require.Equal(t, http.StatusBadRequest, status)
		require.Equal(t, "com.amazon.coral.service#UnknownOperationException", answer["__type"])
	}
}

func TestOtherRequests(t *testing.T) {
	h := setup(t)
	rec := httptest.NewRecorder()
	h.db.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, http.StatusMethodNotAllowed, rec.Code)

	rec = httptest.NewRecorder()
	h.db.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/", io.LimitReader(zeros{}, 17<<20)))
	require.Equal(t, http.StatusRequestEntityTooLarge, rec.Code)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestTransportHonoursContext(t *testing.T) {
	h := setup(t)
	ctx, cancel := context.WithCancel(h.ctx)
	cancel()
	_, err := h.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(tableName), Key: key("a", "s")})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzHandler(f *testing.F) {
	for _, target := range []string{
		"CreateTable", "DescribeTable", "DeleteTable", "ListTables", "UpdateTimeToLive", "DescribeTimeToLive", "GetItem", "PutItem", "UpdateItem",
		"DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems",
	} {
		f.Add("DynamoDB_20120810."+target, `{"TableName":"things"}`)
	}
	f.Add("DynamoDB_20120810.PutItem", `{"TableName":"things","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"l":{"L":[{"N":"1e3"},{"BS":["AA=="]}]}}}`)
	f.Add("DynamoDB_20120810.UpdateItem", `{"TableName":"things","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},
		"UpdateExpression":"SET l[0] = list_append(l, :v), a.#b = a.#b + :n REMOVE c","ExpressionAttributeNames":{"#b":"x"},
		"ExpressionAttributeValues":{":v":{"L":[]},":n":{"N":"1"}},"ReturnValues":"UPDATED_NEW"}`)
	f.Add("DynamoDB_20120810.Query", `{"TableName":"things","IndexName":"GSI1",
		"KeyConditionExpression":"g1pk = :p AND g1sk BETWEEN :a AND :b",
		"ExpressionAttributeValues":{":p":{"S":"p"},":a":{"S":"a"},":b":{"S":"b"}},
		"Limit":1,"ExclusiveStartKey":{"pk":{"S":"a"}}}`)
	f.Add("DynamoDB_20120810.Scan", `{"TableName":"things","Segment":0,"TotalSegments":3,
		"FilterExpression":"size(pk) > :n","ExpressionAttributeValues":{":n":{"N":"-1"}}}`)
	f.Add("DynamoDB_20120810.TransactWriteItems", `{"ClientRequestToken":"t","TransactItems":[{"ConditionCheck":{
		"TableName":"things","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"ConditionExpression":"attribute_exists(pk)"}}]}`)
	f.Add("DynamoDB_20120810.BatchGetItem", `{"RequestItems":{"things":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"b"}}]}}}`)
	f.Add("DynamoDBStreams_20120810.GetRecords", `{"ShardIterator":"arn:aws:dynamodb:us-east-1:000000000000:table/things/stream/x|1"}`)
	f.Fuzz(func(t *testing.T, target, body string) {
		db := memdynamo.New(memdynamo.Options{})
		_, err := db.Client().CreateTable(t.Context(), tableInput())
		require.NoError(t, err)
		status, answer := post(t, db, target, body)
		if status != http.StatusOK {
			require.Equal(t, http.StatusBadRequest, status, "never an internal error: %v", answer)
		}
	})
}
