package outbox

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
)

// assign returns the relay that each shard belongs to by rendezvous hashing: every relay computes the same from the same names, and a relay
// that comes or goes moves only its own share. Without relays it returns nil.
func assign(shards int, relays []string) []string {
	if len(relays) == 0 {
		return nil
	}
	owners := make([]string, shards)
	for shard := range owners {
		highest := uint64(0)
		for _, id := range relays {
			weight := rendezvousWeight(shard, id)
			if owners[shard] == "" || weight > highest || weight == highest && id < owners[shard] {
				owners[shard], highest = id, weight
			}
		}
	}
	return owners
}

func rendezvousWeight(shard int, id string) uint64 {
	sum := sha256.Sum256([]byte(strconv.Itoa(shard) + "/" + id))
	return binary.BigEndian.Uint64(sum[:8])
}
