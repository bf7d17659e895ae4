package outbox

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	defaultShards = 16
	maxShards     = 1024
	maxKeyPrefix  = 128

	// seqDigits is the width of the largest int64: sort keys of one aggregate then sort as its numbers do.
	seqDigits = 19
)

// Table says where the outbox lies. The key attributes must be strings. The outbox may share a table with anything else as long as nothing
// else uses partition keys that start with KeyPrefix. Writers, relays and admins of one outbox need the same values.
type Table struct {
	// Name is the table's name or ARN; required.
	Name string
	// PartitionKey and SortKey are the names of the key attributes; default PK and SK.
	PartitionKey string
	SortKey      string
	// KeyPrefix stands before every partition key, at most 128 bytes of UTF-8; default OUTBOX#. Outboxes in one table need different
	// prefixes of which none starts with another.
	KeyPrefix string
}

// withDefaults returns the table with its defaults filled in, or an error that names the field that is wrong.
func (t Table) withDefaults() (Table, error) {
	t.PartitionKey = cmp.Or(t.PartitionKey, "PK")
	t.SortKey = cmp.Or(t.SortKey, "SK")
	t.KeyPrefix = cmp.Or(t.KeyPrefix, "OUTBOX#")
	switch {
	case t.Name == "":
		return t, badConfig("Table.Name is empty")
	case t.PartitionKey == t.SortKey:
		return t, badConfig("Table.PartitionKey and Table.SortKey are the same")
	case isOwnAttribute(t.PartitionKey) || isOwnAttribute(t.SortKey):
		return t, badConfig("Table.PartitionKey or Table.SortKey is a name that the outbox needs for itself")
	case len(t.KeyPrefix) > maxKeyPrefix || !utf8.ValidString(t.KeyPrefix):
		return t, badConfig("Table.KeyPrefix is not UTF-8 of at most %d bytes", maxKeyPrefix)
	}
	return t, nil
}

// checkShards returns the number of shards with its default filled in.
func checkShards(shards int) (int, error) {
	shards = cmp.Or(shards, defaultShards)
	if shards < 1 || shards > maxShards || bits.OnesCount(uint(shards)) != 1 {
		return 0, badConfig("Shards is %d, want a power of two from 1 to %d", shards, maxShards)
	}
	return shards, nil
}

// item is a DynamoDB item or key.
type item = map[string]types.AttributeValue

func (t Table) key(partition, sort string) item {
	return item{t.PartitionKey: text(partition), t.SortKey: text(sort)}
}

// waiting is the partition of the packs of a shard that are to be published.
func (t Table) waiting(shard int) string { return t.KeyPrefix + strconv.Itoa(shard) }

// dead is the partition of the dead letters of a shard.
func (t Table) dead(shard int) string { return t.KeyPrefix + "DEAD#" + strconv.Itoa(shard) }

// relays is the partition in which relays agree on who does what.
func (t Table) relays() string { return t.KeyPrefix + "RELAYS" }

// packSort is the sort key of the pack whose first event has the number seq. The packs of one aggregate have a range of keys to themselves,
// so that a reader can pass over them: no key has a # but the one before the number.
func packSort(aggregateID string, seq int64) string {
	return fmt.Sprintf("%s#%0*d", escapeID(aggregateID), seqDigits, seq)
}

// parsePackSort takes a sort key apart. It is not ok if packSort cannot have made it.
func parsePackSort(sort string) (aggregateID string, seq int64, ok bool) {
	escaped, digits, _ := strings.Cut(sort, "#")
	aggregateID = unescapeID(escaped)
	if escaped == "" || escapeID(aggregateID) != escaped || len(digits) != seqDigits || strings.Trim(digits, "0123456789") != "" {
		return "", 0, false
	}
	seq, err := strconv.ParseInt(digits, 10, 64)
	return aggregateID, seq, err == nil && seq >= 1
}

// escapeID writes an aggregate's id without #.
func escapeID(id string) string {
	return strings.ReplaceAll(strings.ReplaceAll(id, "%", "%25"), "#", "%23")
}

func unescapeID(escaped string) string {
	return strings.ReplaceAll(strings.ReplaceAll(escaped, "%23", "#"), "%25", "%")
}

func isOwnAttribute(name string) bool {
	return slices.Contains([]string{
		attrEvents, attrShards, attrCreatedAt, attrDone, attrAttempts, attrNextAttemptAt, attrHeldAt, attrError,
		attrFirstFailedAt, attrLastFailedAt, attrCounter, attrOwner, attrEpoch, attrSweeper,
	}, name)
}
