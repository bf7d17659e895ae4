package memdynamo

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// kind is the type of an attribute value.
type kind uint8

const (
	kindS kind = iota + 1
	kindN
	kindB
	kindBOOL
	kindNULL
	kindM
	kindL
	kindSS
	kindNS
	kindBS
)

// kindNames are the names on the wire, in the order of the constants.
var kindNames = [...]string{"", "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"}

func (k kind) String() string { return kindNames[k] }

// kindNamed returns the kind with that name on the wire, or 0.
func kindNamed(name string) kind {
	if i := slices.Index(kindNames[1:], name); i >= 0 {
		return kind(i + 1)
	}
	return 0
}

// scalar reports whether values of the kind have an order and may be keys.
func (k kind) scalar() bool { return k == kindS || k == kindN || k == kindB }

// element is the kind of the elements of a set.
func (k kind) element() kind { return k - kindSS + kindS }

// value is one attribute value. It never changes once it is built: an update builds new values along its path and shares
// the rest. So stored items, old images and replies may share parts, and a reader needs no lock on what it was given.
type value struct {
	kind     kind
	flag     bool    // BOOL
	text     string  // S; N in canonical form; B as raw bytes
	elements []value // L in order; SS, NS and BS ascending
	fields   item    // M
}

// item is a set of attributes, ascending by name. Like a value it never changes once it is built.
type item []attribute

type attribute struct {
	name  string
	value value
}

func integerValue(n int) value { return value{kind: kindN, text: strconv.Itoa(n)} }

// newItem takes ownership of attributes in any order; a name that stands twice is an error.
func newItem(attrs []attribute) (item, error) {
	slices.SortFunc(attrs, func(a, b attribute) int { return strings.Compare(a.name, b.name) })
	for i, a := range attrs {
		if a.name == "" {
			return nil, invalidValue("An attribute name must not be empty")
		}
		if i > 0 && attrs[i-1].name == a.name {
			return nil, malformed("attribute %q stands twice", a.name)
		}
	}
	return attrs, nil
}

func (it item) find(name string) (int, bool) {
	return slices.BinarySearchFunc(it, name, func(a attribute, name string) int { return strings.Compare(a.name, name) })
}

func (it item) get(name string) (value, bool) {
	if i, ok := it.find(name); ok {
		return it[i].value, true
	}
	return value{}, false
}

// with returns a copy in which name has the value.
func (it item) with(name string, v value) item {
	i, ok := it.find(name)
	if ok {
		out := slices.Clone(it)
		out[i].value = v
		return out
	}
	out := make(item, 0, len(it)+1)
	out = append(out, it[:i]...)
	out = append(out, attribute{name, v})
	return append(out, it[i:]...)
}

// without returns a copy that lacks name.
func (it item) without(name string) item {
	i, ok := it.find(name)
	if !ok {
		return it
	}
	out := make(item, 0, len(it)-1)
	out = append(out, it[:i]...)
	return append(out, it[i+1:]...)
}

// only returns the attributes with the given names.
func (it item) only(names ...string) item {
	out := make(item, 0, len(names))
	for _, a := range it {
		if slices.Contains(names, a.name) {
			out = append(out, a)
		}
	}
	return out
}

func (it item) equal(other item) bool {
	return slices.EqualFunc(it, other, func(a, b attribute) bool { return a.name == b.name && a.value.equal(b.value) })
}

func (v value) equal(w value) bool {
	return v.kind == w.kind && v.flag == w.flag && v.text == w.text &&
		slices.EqualFunc(v.elements, w.elements, value.equal) && v.fields.equal(w.fields)
}

// compare orders two values; only scalars of one kind have an order.
func (v value) compare(w value) (order int, ok bool) {
	switch {
	case v.kind != w.kind || !v.kind.scalar():
		return 0, false
	case v.kind == kindN:
		return compareNumbers(v.text, w.text), true
	}
	return strings.Compare(v.text, w.text), true
}

// newSet takes ownership of elements of one scalar kind; none, or one that stands twice, is an error.
func newSet(k kind, elements []value) (value, error) {
	if len(elements) == 0 {
		return value{}, invalidValue("An %s set may not be empty", setNames[k-kindSS])
	}
	slices.SortFunc(elements, compareElements)
	for i := 1; i < len(elements); i++ {
		if compareElements(elements[i-1], elements[i]) == 0 {
			return value{}, invalidValue("Input collection contains duplicates.")
		}
	}
	return value{kind: k, elements: elements}, nil
}

var setNames = [...]string{"string", "number", "binary"}

// compareElements orders the elements of one set.
func compareElements(a, b value) int {
	order, _ := a.compare(b)
	return order
}

// union returns the elements of either set.
func (v value) union(w value) value {
	out := slices.Concat(v.elements, w.elements)
	slices.SortFunc(out, compareElements)
	return value{kind: v.kind, elements: slices.CompactFunc(out, value.equal)}
}

// difference returns the elements of v that are not in w, possibly none.
func (v value) difference(w value) value {
	out := value{kind: v.kind}
	for _, e := range v.elements {
		if !slices.ContainsFunc(w.elements, e.equal) {
			out.elements = append(out.elements, e)
		}
	}
	return out
}

// size is what the value counts towards the size of its item ("Item sizes and formats", DynamoDB developer guide).
func (v value) size() int {
	switch v.kind {
	case kindN:
		d := canonicalDecimal(v.text)
		if d.negative {
			return (len(d.digits)+1)/2 + 2
		}
		return (len(d.digits)+1)/2 + 1
	case kindBOOL, kindNULL:
		return 1
	case kindM:
		return 3 + v.fields.size() + len(v.fields)
	case kindL:
		return 3 + elementsSize(v.elements) + len(v.elements)
	case kindSS, kindNS, kindBS:
		return elementsSize(v.elements)
	}
	return len(v.text)
}

func elementsSize(elements []value) int {
	n := 0
	for _, e := range elements {
		n += e.size()
	}
	return n
}

// size is the size of an item in bytes: the names and the values.
func (it item) size() int {
	n := 0
	for _, a := range it {
		n += len(a.name) + a.value.size()
	}
	return n
}

// length is what the function size() answers; ok is false for a kind that has none. The service counts a string in UTF-16
// code units.
func (v value) length() (n int, ok bool) {
	switch v.kind {
	case kindS:
		for _, r := range v.text {
			n += utf16.RuneLen(r)
		}
		return n, true
	case kindB:
		return len(v.text), true
	case kindM:
		return len(v.fields), true
	case kindL, kindSS, kindNS, kindBS:
		return len(v.elements), true
	}
	return 0, false
}
