package outbox

import (
	"crypto/sha256"
	"encoding/binary"
)

// shardOf spreads aggregates over the shards. The result is part of what is stored: it must never change. SHA-256 because it is
// even for ids of any shape, short and sequential ones too.
func shardOf(aggregateID string, shards int) int {
	sum := sha256.Sum256([]byte(aggregateID))
	return int(binary.BigEndian.Uint64(sum[:8]) & uint64(shards-1))
}
