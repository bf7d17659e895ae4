package memdynamo

import (
	"slices"
	"strconv"
	"strings"
)

// step is one step of a document path: a name in a map, or an index in a list when the name is empty.
type step struct {
	name  string
	index int
}

func (s step) String() string {
	if s.name == "" {
		return "[" + strconv.Itoa(s.index) + "]"
	}
	return s.name
}

// path is a document path such as a.b[1]. Its first step is a name.
type path []step

func (p path) String() string {
	steps := make([]string, len(p))
	for i, s := range p {
		steps[i] = s.String()
	}
	return "[" + strings.Join(steps, ", ") + "]"
}

// resolve returns the value at the path, if there is one.
func (p path) resolve(it item) (value, bool) {
	v, ok := it.get(p[0].name)
	for _, s := range p[1:] {
		switch {
		case !ok:
			return value{}, false
		case s.name != "":
			v, ok = v.fields.get(s.name)
		case v.kind == kindL && s.index < len(v.elements):
			v = v.elements[s.index]
		default:
			return value{}, false
		}
	}
	return v, ok
}

// compare orders paths by their steps, so that elements of one list come in the order of their index.
func (p path) compare(q path) int {
	return slices.CompareFunc(p, q, func(a, b step) int {
		if a.name != b.name {
			return strings.Compare(a.name, b.name)
		}
		return a.index - b.index
	})
}

// edit returns a copy of the item with the value at the path replaced, or removed if v is nil. What the path leads
// through must exist.
func (p path) edit(it item, v *value) (item, error) {
	name := p[0].name
	if len(p) == 1 {
		if v == nil {
			return it.without(name), nil
		}
		return it.with(name, *v), nil
	}
	child, ok := it.get(name)
	if !ok {
		return nil, errInvalidPath()
	}
	child, err := p[1:].editIn(child, v)
	if err != nil {
		return nil, err
	}
	return it.with(name, child), nil
}

func (p path) editIn(container value, v *value) (value, error) {
	var err error
	switch {
	case p[0].name != "" && container.kind == kindM:
		container.fields, err = p.edit(container.fields, v)
	case p[0].name == "" && container.kind == kindL:
		container.elements, err = p.editList(container.elements, v)
	default:
		err = errInvalidPath()
	}
	return container, err
}

// editList changes one element. An index beyond the end appends, or removes nothing.
func (p path) editList(elements []value, v *value) ([]value, error) {
	i := p[0].index
	inside := i < len(elements)
	elements = slices.Clone(elements)
	switch {
	case len(p) > 1 && inside:
		child, err := p[1:].editIn(elements[i], v)
		elements[i] = child
		return elements, err
	case len(p) > 1:
		return nil, errInvalidPath()
	case v == nil && inside:
		return slices.Delete(elements, i, i+1), nil
	case v == nil:
		return elements, nil
	case inside:
		elements[i] = *v
		return elements, nil
	}
	return append(elements, *v), nil
}

func errInvalidPath() *apiError {
	return invalid("The document path provided in the update expression is invalid for update")
}

// disjoint reports the first two paths of which one leads through the other, or that disagree about a container's type.
func disjoint(clause string, paths []path) error {
	for i, p := range paths {
		for _, q := range paths[:i] {
			if how := p.clash(q); how != "" {
				return invalid("Invalid %s: Two document paths %s with each other; must remove or rewrite one of these paths; "+
					"path one: %s, path two: %s", clause, how, q, p)
			}
		}
	}
	return nil
}

func (p path) clash(q path) string {
	for i := range min(len(p), len(q)) {
		if p[i] == q[i] {
			continue
		}
		if (p[i].name == "") != (q[i].name == "") {
			return "conflict"
		}
		return ""
	}
	return "overlap"
}
