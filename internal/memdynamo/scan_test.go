package memdynamo_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"
)

// scanAll reads a scan to its end.
func (h *harness) scanAll(in dynamodb.ScanInput) []attrs {
	h.Helper()
	in.TableName = aws.String(tableName)
	var items []attrs
	for {
		out, err := h.client.Scan(h.ctx, &in)
		require.NoError(h, err)
		items = append(items, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			return items
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

func TestScanSegmentsCoverEveryItemOnce(t *testing.T) {
	h := setup(t)
	for i := range 100 {
		h.put(key(string(rune('a'+i%50)), string(rune('0'+i/50))))
	}
	for _, segments := range []int32{1, 2, 3, 4, 7, 64} {
		seen := map[string]int{}
		filled := 0
		for segment := range segments {
			items := h.scanAll(dynamodb.ScanInput{Segment: aws.Int32(segment), TotalSegments: aws.Int32(segments), Limit: aws.Int32(3)})
			for _, it := range items {
				seen[texts([]attrs{it}, "pk")[0]+texts([]attrs{it}, "sk")[0]]++
			}
			if len(items) > 0 {
				filled++
			}
		}
		require.Len(t, seen, 100)
		for item, count := range seen {
			require.Equal(t, 1, count, item)
		}
		require.Greater(t, filled, int(min(segments, 7))/2, "the hash spreads partitions over segments")
	}
}

func TestScanFilters(t *testing.T) {
	h := setup(t)
	h.seed(40)
	in := dynamodb.ScanInput{
		Limit: aws.Int32(5), FilterExpression: aws.String("attribute_exists(even) AND begins_with(sk, :a)"),
		ExpressionAttributeValues: attrs{":a": S("A#")},
	}
	require.Len(t, h.scanAll(in), 20, "a scan may filter by key attributes")
	in.ProjectionExpression = aws.String("n")
	require.Len(t, h.scanAll(in)[0], 1)
}

func TestInvalidScans(t *testing.T) {
	h := setup(t)
	for name, in := range map[string]dynamodb.ScanInput{
		"segment_alone":       {Segment: aws.Int32(0)},
		"segments_alone":      {TotalSegments: aws.Int32(2)},
		"segment_too_large":   {Segment: aws.Int32(2), TotalSegments: aws.Int32(2)},
		"segment_negative":    {Segment: aws.Int32(-1), TotalSegments: aws.Int32(2)},
		"no_segments":         {Segment: aws.Int32(0), TotalSegments: aws.Int32(0)},
		"too_many_segments":   {Segment: aws.Int32(0), TotalSegments: aws.Int32(1_000_001)},
		"limit":               {Limit: aws.Int32(0)},
		"starting_key":        {ExclusiveStartKey: attrs{"pk": S("a")}},
		"unused_placeholders": {ExpressionAttributeValues: attrs{":a": S("x")}},
		"empty_filter":        {FilterExpression: aws.String("")},
	} {
		in.TableName = aws.String(tableName)
		_, err := h.client.Scan(h.ctx, &in)
		require.Equal(t, validation, code(err), name)
	}
}
