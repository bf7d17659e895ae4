package consume

import (
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Change is what a delta event does to the item of its aggregate. Names are those of attributes at the top level, each at most once in
// the whole change, and none of the key or of the position. The zero value changes nothing, which still counts the event.
type Change struct {
	// Set replaces attributes.
	Set Item
	// Add adds numbers to attributes, from 0 if absent, or elements to sets.
	Add Item
	// Drop takes elements out of sets.
	Drop Item
	// Remove removes attributes.
	Remove []string
}

// names returns the attributes that the change names, with repetitions.
func (c Change) names() []string {
	return slices.Concat(slices.Collect(maps.Keys(c.Set)), slices.Collect(maps.Keys(c.Add)), slices.Collect(maps.Keys(c.Drop)), c.Remove)
}

// validate finds what DynamoDB would refuse again at every delivery.
func (c Change) validate(p Projection) error {
	names := c.names()
	slices.Sort(names)
	for i, name := range names {
		switch {
		case name == "":
			return badChange("an attribute name is empty")
		case p.reserves(name):
			return badChange("attribute %q belongs to the key or to the position", name)
		case i > 0 && names[i-1] == name:
			return badChange("attribute %q is named twice", name)
		}
	}
	for name, v := range c.Set {
		if v == nil {
			return badChange("attribute %q has no value", name)
		}
	}
	for name, v := range c.Add {
		if _, number := v.(*types.AttributeValueMemberN); !number && !isSet(v) {
			return badChange("attribute %q: only numbers and sets can be added", name)
		}
	}
	for name, v := range c.Drop {
		if !isSet(v) {
			return badChange("attribute %q: only sets have elements to drop", name)
		}
	}
	return nil
}

func isSet(v types.AttributeValue) bool {
	switch v.(type) {
	case *types.AttributeValueMemberSS, *types.AttributeValueMemberNS, *types.AttributeValueMemberBS:
		return true
	default:
		return false
	}
}

// write adds the change to an update, in the order of names.
func (c Change) write(x *expression) {
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		x.set(name, c.Set[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Add)) {
		x.add(name, c.Add[name])
	}
	for _, name := range slices.Sorted(maps.Keys(c.Drop)) {
		x.drop(name, c.Drop[name])
	}
	for _, name := range slices.Sorted(slices.Values(c.Remove)) {
		x.remove(name)
	}
}
