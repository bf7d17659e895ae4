package memdynamo_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func (h *harness) setTTL(attribute string, enabled bool) error {
	_, err := h.client.UpdateTimeToLive(h.ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName: aws.String(tableName), TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &attribute, Enabled: &enabled},
	})
	return err
}

func expiring(pk string, at time.Time) attrs {
	return with(inIndex(pk, "G", pk), attrs{"ttl": N(fmt.Sprint(at.Unix()))})
}

func TestTimeToLiveSettings(t *testing.T) {
	h := setup(t)
	describe := func() *types.TimeToLiveDescription {
		out, err := h.client.DescribeTimeToLive(h.ctx, &dynamodb.DescribeTimeToLiveInput{TableName: aws.String(tableName)})
		require.NoError(t, err)
		return out.TimeToLiveDescription
	}
	require.Equal(t, types.TimeToLiveStatusDisabled, describe().TimeToLiveStatus)
	requireCode(t, validation, h.setTTL("ttl", false))
	requireCode(t, validation, h.setTTL("", true))
	require.NoError(t, h.setTTL("ttl", true))
	require.Equal(t, &types.TimeToLiveDescription{
		AttributeName: aws.String("ttl"), TimeToLiveStatus: types.TimeToLiveStatusEnabled,
	}, describe())
	requireCode(t, validation, h.setTTL("ttl", true))
	requireCode(t, validation, h.setTTL("other", true))
	requireCode(t, validation, h.setTTL("other", false))
	require.NoError(t, h.setTTL("ttl", false))
	require.Equal(t, types.TimeToLiveStatusDisabled, describe().TimeToLiveStatus)
}

func TestItemsExpire(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now, TTLLag: time.Hour})
	start := now.Now()
	h.put(expiring("early", start.Add(time.Minute))) // before time to live is enabled
	require.NoError(t, h.setTTL("ttl", true))
	h.put(
		expiring("late", start.Add(time.Minute)), expiring("renewed", start.Add(time.Minute)), expiring("kept", start.Add(time.Minute)),
		expiring("ancient", start.Add(-6*365*24*time.Hour)), with(key("text", "s"), attrs{"ttl": S("1")}),
		with(key("huge", "s"), attrs{"ttl": N("1e100")}),
	)
	h.put(expiring("renewed", start.Add(time.Hour)))
	_, err := h.client.UpdateItem(h.ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(tableName), Key: key("kept", "s"), UpdateExpression: aws.String("REMOVE #t"),
		ExpressionAttributeNames: map[string]string{"#t": "ttl"},
	})
	require.NoError(t, err)

	now.Advance(time.Minute + time.Hour - time.Second)
	require.NotNil(t, h.get("early", "s"), "expired, but not gone yet")
	now.Advance(time.Second)
	require.Nil(t, h.get("early", "s"))
	require.Equal(t, []string{"ancient", "kept", "renewed"}, h.indexed("G"), "the index follows")
	now.Advance(time.Hour)
	require.Equal(t, []string{"ancient", "kept"}, h.indexed("G"))
	require.NotNil(t, h.get("text", "s"))
	require.NotNil(t, h.get("huge", "s"))
}

func TestItemsStayWithoutTTLLag(t *testing.T) {
	now := newClock()
	h := setupWith(t, memdynamo.Options{Now: now.Now})
	require.NoError(t, h.setTTL("ttl", true))
	h.put(expiring("a", now.Now()))
	now.Advance(1000 * time.Hour)
	require.NotNil(t, h.get("a", "s"))
}
