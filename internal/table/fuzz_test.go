package table_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
)

// FuzzDecodeProfile: whatever stands in an attribute, an item is read as it will be written again, or refused as corrupt.
func FuzzDecodeProfile(f *testing.F) {
	f.Add("firstName", "Dana", uint8(0))
	f.Add("version", "7", uint8(1))
	f.Add("version", "1e3", uint8(1))
	f.Add("purgeAfter", "99999999999999999999", uint8(1))
	f.Add("createdAt", "2026-01-15T10:30:00.123Z", uint8(0))
	f.Add("createdAt", "yesterday", uint8(0))
	f.Add("status", "true", uint8(2))
	f.Fuzz(func(t *testing.T, name, value string, kind uint8) {
		item := fullProfile().Item()
		switch kind % 3 {
		case 0:
			item[name] = &types.AttributeValueMemberS{Value: value}
		case 1:
			item[name] = &types.AttributeValueMemberN{Value: value}
		case 2:
			item[name] = &types.AttributeValueMemberBOOL{Value: value == "true"}
		}
		profile, err := table.DecodeProfile(item)
		if err != nil {
			require.ErrorIs(t, err, dynamo.ErrCorrupt)
			return
		}
		again, err := table.DecodeProfile(profile.Item())
		require.NoError(t, err)
		require.Equal(t, profile, again)
	})
}
