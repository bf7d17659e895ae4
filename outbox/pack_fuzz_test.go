package outbox

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// FuzzDecodePack: whatever stands in an item of the outbox, it is read or refused.
func FuzzDecodePack(f *testing.F) {
	f.Add("SK", "user#0000000000000000001", uint8(0))
	f.Add("SK", "#", uint8(0))
	f.Add("SK", "user#0000000000000000000", uint8(0))
	f.Add("events", "none", uint8(0))
	f.Add("shards", "16", uint8(1))
	f.Add("shards", "-1", uint8(1))
	f.Add("done", "99999999999999999999", uint8(1))
	f.Add("attempts", "1.5", uint8(1))
	table, err := Table{Name: "outbox"}.withDefaults()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name, value string, kind uint8) {
		stored := table.packItem(newPack([]Event{{
			ID: "6d992d05-adb8-4dd1-8ac0-551005dfc59a", Type: "user.created", AggregateID: "user", Seq: 1, Time: time.Unix(0, 0),
			Data: json.RawMessage(`{}`),
		}}, defaultShards))
		switch kind % 3 {
		case 0:
			stored[name] = &types.AttributeValueMemberS{Value: value}
		case 1:
			stored[name] = &types.AttributeValueMemberN{Value: value}
		case 2:
			stored[name] = &types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberS{Value: value}}}
		}
		p, err := table.decodePack(0, stored)
		if err == nil && (p.seq < 1 || len(p.events) == 0) {
			t.Errorf("a pack of %d events from %d was read", len(p.events), p.seq)
		}
	})
}
