package main

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func TestRun(t *testing.T) {
	t.Parallel()
	client := memdynamo.New(memdynamo.Options{}).Client()
	var out strings.Builder
	require.NoError(t, run(t.Context(), client, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 18, out.String())
	for i, line := range lines[:12] {
		want := "allowed true "
		if i%4 == 3 {
			want = "allowed false"
		}
		assert.Contains(t, line, want)
	}
	assert.Equal(t, []string{"order o-1: placed", "order o-1: the order exists", "order o-2: placed"}, lines[12:15])
	assert.Regexp(t, `^order o-3: limit reached, try again in (1h0m0s|59m0s)$`, lines[15])
	published := strings.Join(lines[16:], "\n")
	for _, id := range []string{"o-1", "o-2"} {
		assert.Equal(t, 1, strings.Count(published, `"orderId":"`+id+`"`), published)
	}
	assert.Equal(t, map[string]int{"order": 2, "limit": 4, "event": 0}, count(t, client))
}

// count is how many items of each kind the table has. The relay's own items, which stay, are not events.
func count(t *testing.T, client *dynamodb.Client) map[string]int {
	t.Helper()
	page, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	counts := map[string]int{"order": 0, "limit": 0, "event": 0}
	for _, item := range page.Items {
		kind, _, _ := strings.Cut(item[partitionKey].(*types.AttributeValueMemberS).Value, "/")
		if _, isPack := item["events"]; kind == "event" && !isPack {
			continue
		}
		counts[kind]++
	}
	return counts
}
