package ratelimit

import (
	"math"
	"math/big"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The attributes that hold state. The TTL attribute's name is configuration.
const (
	attrArrival = "tat"   // token bucket: theoretical arrival time, nanoseconds since 1970
	attrCount   = "count" // fixed window: units admitted
	slotPrefix  = "t"     // sliding window: t1 is the time of the newest admission, nanoseconds since 1970
	attrNonce   = "nonce" // which write the item has last seen; see writes.go
)

func text(s string) types.AttributeValue {
	return &types.AttributeValueMemberS{Value: s}
}

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}

// readNumber returns the attribute as an integer, a fraction rounded up. An attribute that is missing, of another type or above what an
// int64 holds is not ok: no limiter wrote it. One below what an int64 holds is the smallest int64.
func readNumber(v types.AttributeValue) (n int64, ok bool) {
	stored, ok := v.(*types.AttributeValueMemberN)
	if !ok {
		return 0, false
	}
	if n, err := strconv.ParseInt(stored.Value, 10, 64); err == nil {
		return n, true
	}
	f, _, err := big.ParseFloat(stored.Value, 10, 128, big.ToPositiveInf)
	if err != nil || f.Cmp(big.NewFloat(math.MaxInt64)) >= 0 {
		return 0, false
	}
	n, accuracy := f.Int64()
	if accuracy == big.Below {
		n++
	}
	return n, true
}

func readText(v types.AttributeValue) string {
	if stored, ok := v.(*types.AttributeValueMemberS); ok {
		return stored.Value
	}
	return ""
}
