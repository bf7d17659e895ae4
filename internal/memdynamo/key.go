package memdynamo

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// A row's place in its table or index is one string of bytes, so that every read is a range of strings:
//
//	hash of the partition key (8 bytes) | partition key | sort key | in an index also the keys of the table
//
// The hash scatters partitions as the service does: a scan shows no order of partition keys to rely on, and a segment of
// a parallel scan is a range of hashes. Each part is escaped and ends with endOfPart, so that parts cannot run into each
// other and a shorter part orders before a longer one.
const (
	escapedZero = "\x00\xff"
	endOfPart   = "\x00\x01"
	// afterPart orders after every place that continues with endOfPart, and before those of a longer part.
	afterPart = "\x00\x02"
)

// Limits of key attributes in bytes ("Quotas", DynamoDB developer guide).
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
)

// keyAttribute names an attribute of a key; the zero value stands for a sort key that the table does not have.
type keyAttribute struct {
	name string
	kind kind
}

// keySchema is the key of a table or of an index.
type keySchema struct {
	hash keyAttribute
	sort keyAttribute
}

func (k keySchema) names() []string {
	if k.sort.name == "" {
		return []string{k.hash.name}
	}
	return []string{k.hash.name, k.sort.name}
}

func (k keySchema) has(name string) bool {
	return name == k.hash.name || name == k.sort.name
}

// of returns the key attributes of an item; ok is false if one is missing.
func (k keySchema) of(it item) (hash, sort value, ok bool) {
	hash, ok = it.get(k.hash.name)
	if ok && k.sort.name != "" {
		sort, ok = it.get(k.sort.name)
	}
	return hash, sort, ok
}

// check reports why the item cannot be stored under this key.
func (k keySchema) check(it item) error {
	for i, attr := range []keyAttribute{k.hash, k.sort} {
		if attr.name == "" {
			continue
		}
		v, ok := it.get(attr.name)
		if !ok {
			return invalidValue("Missing the key %s in the item", attr.name)
		}
		if v.kind != attr.kind {
			return invalidValue("Type mismatch for key %s expected: %s actual: %s", attr.name, attr.kind, v.kind)
		}
		if err := checkKeySize(v, i == 0, "Key: "+attr.name); err != nil {
			return err
		}
	}
	return nil
}

// checkExact reports why key is not exactly the key attributes, as a read, a delete or an update must give them.
func (k keySchema) checkExact(key item) error {
	if len(key) != len(k.names()) {
		return invalid("The provided key element does not match the schema")
	}
	for _, a := range key {
		if a.name == k.hash.name && a.value.kind == k.hash.kind || a.name == k.sort.name && a.value.kind == k.sort.kind {
			continue
		}
		return invalid("The provided key element does not match the schema")
	}
	return k.check(key)
}

func checkKeySize(v value, partition bool, where string) error {
	if v.kind != kindN && v.text == "" {
		what := "string"
		if v.kind == kindB {
			what = "binary"
		}
		return invalid("One or more parameter values are not valid. "+
			"The AttributeValue for a key attribute cannot contain an empty %s value. %s", what, where)
	}
	if partition && len(v.text) > maxPartitionKey {
		return invalidValue("Size of hashkey has exceeded the maximum size limit of %d bytes", maxPartitionKey)
	}
	if !partition && len(v.text) > maxSortKey {
		return invalidValue("Aggregated size of all range keys has exceeded the size limit of %d bytes", maxSortKey)
	}
	return nil
}

// place returns the place of an item under this key, without the table's keys that an index adds.
func (k keySchema) place(hash, sort value) string {
	place := partitionPlace(hash)
	if k.sort.name != "" {
		place += sortPlace(sort) + endOfPart
	}
	return place
}

// partitionPlace is what the places of a partition start with.
func partitionPlace(hash value) string {
	part := sortPlace(hash)
	return string(binary.BigEndian.AppendUint64(nil, hashOf(part))) + part + endOfPart
}

// sortPlace is the escaped text of a key value, in an encoding that orders as the values do.
func sortPlace(v value) string {
	text := v.text
	if v.kind == kindN {
		text = canonicalDecimal(text).sortable()
	}
	if strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(text, "\x00", escapedZero)
}

func hashOf(part string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(part))
	// FNV leaves the high bits of short keys alike, and those are what segments are cut by (a mixing step of MurmurHash3).
	x := h.Sum64()
	return (x ^ x>>33) * 0xff51afd7ed558ccd
}

// placeRange is the half-open range [from, to) of places; an empty to has no end.
type placeRange struct {
	from, to string
}

// startingWith is the range of all places that start with the prefix.
func startingWith(prefix string) placeRange {
	return placeRange{from: prefix, to: successor(prefix)}
}

// successor is the smallest string above all that start with the prefix.
func successor(prefix string) string {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			return prefix[:i] + string([]byte{prefix[i] + 1})
		}
	}
	return ""
}
