package outbox

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Attribute names of the stored items.
const (
	attrEvents        = "events"
	attrShards        = "shards"
	attrCreatedAt     = "createdAt"
	attrDone          = "done"
	attrAttempts      = "attempts"
	attrNextAttemptAt = "nextAttemptAt"
	attrHeldAt        = "heldAt"
	attrError         = "error"
	attrFirstFailedAt = "firstFailedAt"
	attrLastFailedAt  = "lastFailedAt"
	attrCounter       = "counter"
	attrOwner         = "owner"
	attrEpoch         = "epoch"
	attrSweeper       = "sweeper"

	// Members of one event in the list.
	fieldID            = "id"
	fieldType          = "type"
	fieldTime          = "time"
	fieldVersion       = "version"
	fieldCorrelationID = "correlationId"
	fieldEnvironment   = "environment"
	fieldData          = "data"
)

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

func timestamp(t time.Time) types.AttributeValue { return text(t.UTC().Format(timeLayout)) }

// textOf returns the string under name, "" if there is none.
func textOf(it item, name string) string {
	if s, ok := it[name].(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

// numberOf returns the integer under name, 0 if there is none.
func numberOf(it item, name string) int64 {
	n, ok := it[name].(*types.AttributeValueMemberN)
	if !ok {
		return 0
	}
	value, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil {
		return 0
	}
	return value
}

// timeOf returns the time under name, the zero time if there is none.
func timeOf(it item, name string) time.Time {
	t, err := time.Parse(timeLayout, textOf(it, name))
	if err != nil {
		return time.Time{}
	}
	return t
}
