package ratelimit

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const maxKeyPrefix = 128

// Table says where the limiter's items are. The key attributes must be strings. Everything but the name has a default, and the items can
// share a table with anything else as long as nothing else uses keys that start with KeyPrefix.
type Table struct {
	// Name is the table's name or ARN; required.
	Name string
	// PartitionKey and SortKey are the names of the key attributes. Both empty mean PK and SK; a PartitionKey alone means a table without
	// sort key.
	PartitionKey string
	SortKey      string
	// TTLAttribute is the attribute that DynamoDB's TTL is switched on for, in epoch seconds; default ttl. Without TTL in the table all
	// decisions stay the same, but items of keys that are no longer used stay too.
	TTLAttribute string
	// KeyPrefix stands before every key, at most 128 bytes of UTF-8; default RATELIMIT#. Limiters that must not see each other's state need
	// different keys or different prefixes of which none starts with the other.
	KeyPrefix string
}

// withDefaults returns the table with its defaults filled in, or an error that names the field that is wrong.
func (t Table) withDefaults() (Table, error) {
	if t.PartitionKey == "" && t.SortKey == "" {
		t.PartitionKey, t.SortKey = "PK", "SK"
	}
	t.TTLAttribute = cmp.Or(t.TTLAttribute, "ttl")
	t.KeyPrefix = cmp.Or(t.KeyPrefix, "RATELIMIT#")

	switch {
	case t.Name == "":
		return t, badConfig("Table.Name is empty")
	case t.PartitionKey == "":
		return t, badConfig("Table.PartitionKey is empty but Table.SortKey is %q", t.SortKey)
	case t.PartitionKey == t.SortKey || t.PartitionKey == t.TTLAttribute || t.SortKey == t.TTLAttribute:
		return t, badConfig("Table.PartitionKey, SortKey and TTLAttribute are not different")
	case len(t.KeyPrefix) > maxKeyPrefix || !utf8.ValidString(t.KeyPrefix):
		return t, badConfig("Table.KeyPrefix is not UTF-8 of at most %d bytes", maxKeyPrefix)
	}
	for _, name := range []string{t.PartitionKey, t.SortKey, t.TTLAttribute} {
		if isOwnAttribute(name) {
			return t, badConfig("Table uses the attribute name %q, which the limiter needs for itself", name)
		}
	}
	return t, nil
}

// partition returns the partition key value that stands for a caller's key. Everything in the package knows keys in this form only, as it
// is bounded.
func (t Table) partition(key string) string {
	return t.KeyPrefix + storedKey(key, len(t.KeyPrefix))
}

// itemKey returns the primary key of the item of a partition that sort tells apart from others. Without a sort key it becomes the end of
// the partition key; that is unambiguous because no sort value is the end of another after a separator.
func (t Table) itemKey(partition, sort string) map[string]types.AttributeValue {
	if t.SortKey == "" {
		return map[string]types.AttributeValue{t.PartitionKey: text(partition + partSeparator + sort)}
	}
	return map[string]types.AttributeValue{t.PartitionKey: text(partition), t.SortKey: text(sort)}
}

// isOwnAttribute reports whether one of the algorithms keeps state under that name.
func isOwnAttribute(name string) bool {
	digits, slot := strings.CutPrefix(name, slotPrefix)
	slot = slot && digits != "" && strings.Trim(digits, "0123456789") == ""
	return slot || name == attrArrival || name == attrCount || name == attrNonce
}

func badConfig(format string, args ...any) error {
	return fmt.Errorf("ratelimit: "+format, args...)
}
