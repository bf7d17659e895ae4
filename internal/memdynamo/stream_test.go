package memdynamo_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func withStream(view types.StreamViewType) func(*dynamodb.CreateTableInput) {
	return func(in *dynamodb.CreateTableInput) {
		in.StreamSpecification = &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: view}
	}
}

// streams calls an operation of DynamoDB Streams, which this module has no SDK client for.
func (h *harness) streams(operation string, params map[string]any) (int, map[string]any) {
	h.Helper()
	body, err := json.Marshal(params)
	require.NoError(h, err)
	return post(h.T, h.db, "DynamoDBStreams_20120810."+operation, string(body))
}

func (h *harness) streamARN() string {
	h.Helper()
	out, err := h.client.DescribeTable(h.ctx, &dynamodb.DescribeTableInput{TableName: aws.String(tableName)})
	require.NoError(h, err)
	return aws.ToString(out.Table.LatestStreamArn)
}

// iterator returns a shard iterator; sequence is for the types that take one.
func (h *harness) iterator(kind, sequence string) string {
	h.Helper()
	arn := h.streamARN()
	status, described := h.streams("DescribeStream", map[string]any{"StreamArn": arn})
	require.Equal(h, http.StatusOK, status)
	shards := described["StreamDescription"].(map[string]any)["Shards"].([]any)
	require.Len(h, shards, 1)
	params := map[string]any{"StreamArn": arn, "ShardId": shards[0].(map[string]any)["ShardId"], "ShardIteratorType": kind}
	if sequence != "" {
		params["SequenceNumber"] = sequence
	}
	status, answer := h.streams("GetShardIterator", params)
	require.Equal(h, http.StatusOK, status, answer)
	return answer["ShardIterator"].(string)
}

// records reads from an iterator and returns the records in short, such as "a INSERT old=0 new=3".
func (h *harness) records(iterator string, limit int) (short []string, raw []map[string]any, next string) {
	h.Helper()
	status, answer := h.streams("GetRecords", map[string]any{"ShardIterator": iterator, "Limit": limit})
	require.Equal(h, http.StatusOK, status, answer)
	for _, r := range answer["Records"].([]any) {
		record := r.(map[string]any)
		change := record["dynamodb"].(map[string]any)
		oldImage, _ := change["OldImage"].(map[string]any)
		newImage, _ := change["NewImage"].(map[string]any)
		pk := change["Keys"].(map[string]any)["pk"].(map[string]any)["S"]
		short = append(short, fmt.Sprintf("%s %s old=%d new=%d", pk, record["eventName"], len(oldImage), len(newImage)))
		raw = append(raw, record)
	}
	return short, raw, answer["NextShardIterator"].(string)
}

func TestStreamRecordsEveryChange(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now, TTLLag: time.Second}, withStream("NEW_AND_OLD_IMAGES"))
	require.NoError(t, h.setTTL("ttl", true))
	h.put(with(key("p", "s"), attrs{"v": N("1")}), with(key("p", "s"), attrs{"v": N("1")})) // the second one changes nothing
	_, err := h.update("SET v = :v", attrs{":v": N("2")}, nil, "")
	require.NoError(t, err)
	latest := h.iterator("LATEST", "")
	require.Error(t, h.transact(putIf(key("b", "s"), ""), checkThat("c", "attribute_exists(pk)")))
	require.NoError(t, h.transact(putIf(key("b", "s"), ""), checkThat("p", "attribute_exists(pk)")))
	require.NoError(t, h.batchWrite(putRequest(expiring("c", now.Now())), deleteRequest(key("p", "s")), deleteRequest(key("none", "s"))))
	now.Advance(time.Second)

	short, raw, next := h.records(h.iterator("TRIM_HORIZON", ""), 1000)
	require.Equal(t, []string{
		"p INSERT old=0 new=3", "p MODIFY old=3 new=3", "b INSERT old=0 new=2", "c INSERT old=0 new=5", "p REMOVE old=3 new=0",
		"c REMOVE old=5 new=0",
	}, short)
	require.Nil(t, raw[4]["userIdentity"])
	require.Equal(
		t, map[string]any{"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}, raw[5]["userIdentity"], "the mark of an expiry",
	)

	fromLatest, _, _ := h.records(latest, 2)
	require.Equal(t, short[2:4], fromLatest)
	none, _, _ := h.records(next, 1000)
	require.Empty(t, none)
	sequence := raw[2]["dynamodb"].(map[string]any)["SequenceNumber"].(string)
	at, _, next := h.records(h.iterator("AT_SEQUENCE_NUMBER", sequence), 1)
	require.Equal(t, short[2:3], at)
	after, _, _ := h.records(h.iterator("AFTER_SEQUENCE_NUMBER", sequence), 1)
	require.Equal(t, short[3:4], after)
	following, _, _ := h.records(next, 1)
	require.Equal(t, after, following)
}

func TestStreamViews(t *testing.T) {
	for view, want := range map[types.StreamViewType]string{
		"KEYS_ONLY": "p MODIFY old=0 new=0", "NEW_IMAGE": "p MODIFY old=0 new=3", "OLD_IMAGE": "p MODIFY old=2 new=0",
		"NEW_AND_OLD_IMAGES": "p MODIFY old=2 new=3",
	} {
		t.Run(string(view), func(t *testing.T) {
			h := setup(t, withStream(view))
			h.put(key("p", "s"), with(key("p", "s"), attrs{"v": N("1")}))
			short, _, _ := h.records(h.iterator("TRIM_HORIZON", ""), 1000)
			require.Equal(t, want, short[1])
		})
	}
}

func TestStreamForgetsAfterADay(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now}, withStream("KEYS_ONLY"))
	h.put(key("a", "s"))
	old := h.iterator("TRIM_HORIZON", "")
	now.Advance(12 * time.Hour)
	h.put(key("b", "s"))
	now.Advance(12 * time.Hour)
	h.put(key("c", "s"))
	short, _, _ := h.records(h.iterator("TRIM_HORIZON", ""), 1000)
	require.Equal(t, []string{"b INSERT old=0 new=0", "c INSERT old=0 new=0"}, short)
	status, answer := h.streams("GetRecords", map[string]any{"ShardIterator": old})
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer["__type"], "TrimmedDataAccessException")

	now.Advance(48 * time.Hour)
	short, _, _ = h.records(h.iterator("TRIM_HORIZON", ""), 1000)
	require.Empty(t, short)
}

func TestInvalidStreamRequests(t *testing.T) {
	h := setup(t, withStream("KEYS_ONLY"))
	h.put(key("a", "s"))
	arn := h.streamARN()
	shard := strings.Repeat("x", 30)
	for _, tc := range []struct {
		operation string
		params    map[string]any
		want      string
	}{
		{"DescribeStream", map[string]any{"StreamArn": arn + "x"}, "ResourceNotFoundException"},
		{"DescribeStream", map[string]any{"StreamArn": ""}, "ResourceNotFoundException"},
		{"DescribeStream", map[string]any{"StreamArn": arn, "Other": 1}, validation},
		{"GetShardIterator", map[string]any{"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}, "ResourceNotFoundException"},
		{"GetRecords", map[string]any{"ShardIterator": ""}, "ResourceNotFoundException"},
		{"GetRecords", map[string]any{"ShardIterator": arn}, validation},
		{"GetRecords", map[string]any{"ShardIterator": arn + "|0"}, validation},
		{"GetRecords", map[string]any{"ShardIterator": arn + "|99"}, validation},
		{"GetRecords", map[string]any{"ShardIterator": arn + "|1", "Limit": 0}, validation},
	} {
		status, answer := h.streams(tc.operation, tc.params)
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, answer["__type"], tc.want, "%v", tc.params)
	}
}
