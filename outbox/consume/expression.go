package consume

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// expression collects the parts of an update. All names and values go through placeholders, because attribute names are the
// consumer's and may be reserved words.
type expression struct {
	clauses map[string][]string
	names   map[string]string
	values  Item
}

func newExpression() *expression {
	return &expression{clauses: map[string][]string{}, names: map[string]string{}, values: Item{}}
}

// name returns the placeholder of an attribute name, the same one every time.
func (x *expression) name(attribute string) string {
	for placeholder, known := range x.names {
		if known == attribute {
			return placeholder
		}
	}
	placeholder := fmt.Sprintf("#a%d", len(x.names))
	x.names[placeholder] = attribute
	return placeholder
}

// value returns a new placeholder for a value.
func (x *expression) value(v types.AttributeValue) string {
	placeholder := fmt.Sprintf(":v%d", len(x.values))
	x.values[placeholder] = v
	return placeholder
}

func (x *expression) set(attribute string, v types.AttributeValue) {
	x.clauses["SET"] = append(x.clauses["SET"], x.name(attribute)+" = "+x.value(v))
}

func (x *expression) add(attribute string, v types.AttributeValue) {
	x.clauses["ADD"] = append(x.clauses["ADD"], x.name(attribute)+" "+x.value(v))
}

func (x *expression) drop(attribute string, elements types.AttributeValue) {
	x.clauses["DELETE"] = append(x.clauses["DELETE"], x.name(attribute)+" "+x.value(elements))
}

func (x *expression) remove(attribute string) {
	x.clauses["REMOVE"] = append(x.clauses["REMOVE"], x.name(attribute))
}

// update returns the update expression, always the same for the same calls.
func (x *expression) update() string {
	var parts []string
	for _, clause := range slices.Sorted(maps.Keys(x.clauses)) {
		parts = append(parts, clause+" "+strings.Join(x.clauses[clause], ", "))
	}
	return strings.Join(parts, " ")
}
