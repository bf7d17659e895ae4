package consume

import (
	"cmp"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const maxKeyPrefix = 128

// Table says where the consumer's items lie: one item per aggregate or event, whose key attributes are strings. It may share a table with
// anything else.
type Table struct {
	// Name is the table's name or ARN; required.
	Name string
	// PartitionKey and SortKey are the names of the key attributes. Both empty mean PK and SK; a PartitionKey alone means a table without
	// sort key.
	PartitionKey string
	SortKey      string
	// KeyPrefix stands before the id in the partition key, at most 128 bytes of UTF-8; default none for projections, EFFECT# for Effects.
	KeyPrefix string
	// SortValue is the sort key of every item, at most 1,024 bytes of UTF-8; default PROJECTION, or EFFECT for Effects. Without a SortKey
	// it must be empty.
	SortValue string
}

// withDefaults returns the table with its defaults filled in, or an error that names the field that is wrong.
func (t Table) withDefaults(prefix, sort string) (Table, error) {
	const maxSortValue = 1024 // bytes of a sort key (DynamoDB developer guide, Constraints)
	if t.PartitionKey == "" && t.SortKey == "" {
		t.PartitionKey, t.SortKey = "PK", "SK"
	}
	t.KeyPrefix = cmp.Or(t.KeyPrefix, prefix)
	if t.SortKey != "" {
		t.SortValue = cmp.Or(t.SortValue, sort)
	}
	switch {
	case t.Name == "":
		return t, badConfig("Table.Name is empty")
	case t.PartitionKey == "":
		return t, badConfig("Table.PartitionKey is empty but Table.SortKey is %q", t.SortKey)
	case t.PartitionKey == t.SortKey:
		return t, badConfig("Table.PartitionKey and Table.SortKey are the same")
	case len(t.KeyPrefix) > maxKeyPrefix || !utf8.ValidString(t.KeyPrefix):
		return t, badConfig("Table.KeyPrefix is not UTF-8 of at most %d bytes", maxKeyPrefix)
	case t.SortKey == "" && t.SortValue != "":
		return t, badConfig("Table.SortValue is set but Table.SortKey is not")
	case len(t.SortValue) > maxSortValue || !utf8.ValidString(t.SortValue):
		return t, badConfig("Table.SortValue is not UTF-8 of at most %d bytes", maxSortValue)
	}
	return t, nil
}

// key returns the primary key of the item of an aggregate or event.
func (t Table) key(id string) Item {
	key := Item{t.PartitionKey: text(t.KeyPrefix + id)}
	if t.SortKey != "" {
		key[t.SortKey] = text(t.SortValue)
	}
	return key
}

// isKey reports whether the attribute is part of the key.
func (t Table) isKey(attribute string) bool {
	return attribute == t.PartitionKey || attribute == t.SortKey
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
