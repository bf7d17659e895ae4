package outbox

import "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

const (
	numberBytes    = 21 // the most that a number takes
	containerBytes = 3  // a list or map, beside one byte per element
)

// sizeOf returns what DynamoDB counts for an item of the outbox, or a little more: names and values in UTF-8, 3 bytes per list or
// map and 1 per element (developer guide, item sizes and formats).
func sizeOf(it item) int {
	size := 0
	for name, value := range it {
		size += len(name) + sizeOfValue(value)
	}
	return size
}

func sizeOfValue(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return numberBytes
	case *types.AttributeValueMemberM:
		return containerBytes + len(v.Value) + sizeOf(v.Value)
	case *types.AttributeValueMemberL:
		size := containerBytes + len(v.Value)
		for _, element := range v.Value {
			size += sizeOfValue(element)
		}
		return size
	default:
		return 1
	}
}
