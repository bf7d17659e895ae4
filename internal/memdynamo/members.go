package memdynamo

import (
	"fmt"
	"slices"
	"strings"
)

// members says which members an object may have and where their values go: into a variable, by a pointer of a type that
// read knows, or into a func() that reads the value itself. A **string or **int tells an absent member from an empty one.
type members map[string]any

// oneOf is the place of a member with a fixed set of values.
type oneOf struct {
	target  *string
	allowed []string
}

// listOf returns the reader of a list whose elements are read by element.
func listOf[T any](r *jsonReader, target *[]T, element func() T) func() {
	return func() {
		list := []T{}
		r.array(func() { list = append(list, element()) })
		*target = list
	}
}

// request reads a whole request and returns the first error.
func (r *jsonReader) request(known ...members) error {
	r.members(known...)
	return r.finish()
}

// members reads an object. A member that is not known is an error: ignoring it could let a test pass whose code fails in
// production.
func (r *jsonReader) members(known ...members) {
	r.object(func(name string) {
		for _, m := range known {
			if target, ok := m[name]; ok {
				r.read(name, target)
				return
			}
		}
		r.fail(invalid("Unknown or unsupported parameter: %s", name))
	})
}

func (r *jsonReader) read(name string, target any) {
	switch t := target.(type) {
	case func():
		t()
	case *string:
		*t = r.str()
	case **string:
		s := r.str()
		*t = &s
	case *bool:
		*t = r.boolean()
	case *int:
		*t = r.integer()
	case **int:
		n := r.integer()
		*t = &n
	case *item:
		*t = r.attributes()
	case *map[string]string:
		*t = r.stringMap()
	case oneOf:
		if *t.target = r.str(); r.err == nil && !slices.Contains(t.allowed, *t.target) {
			r.fail(invalid("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: "+
				"Member must satisfy enum value set: [%s]", *t.target, name, strings.Join(t.allowed, ", ")))
		}
	default:
		r.fail(fmt.Errorf("memdynamo: member %s has a place of type %T", name, target))
	}
}
