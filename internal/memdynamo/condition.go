package memdynamo

import "strings"

// condition is a parsed ConditionExpression, FilterExpression or KeyConditionExpression.
type condition interface {
	// holds evaluates the condition on an item, or on nil where there is none. It never fails: what has no meaning,
	// such as comparing a string with a number, is false.
	holds(it item) bool
}

// operand is a part of a condition that has a value: a path, a literal or size(path).
type operand interface {
	resolve(it item) (value, bool)
}

type (
	andCondition struct{ left, right condition }
	orCondition  struct{ left, right condition }
	notCondition struct{ inner condition }

	// comparison is left op right, with op one of = <> < <= > >=.
	comparison struct {
		op          string
		left, right operand
	}
	betweenCondition struct{ subject, low, high operand }
	inCondition      struct {
		subject operand
		list    []operand
	}
	existsCondition struct {
		path path
		want bool
	}
	typeCondition struct {
		subject operand
		kind    kind
	}
	prefixCondition   struct{ subject, prefix operand }
	containsCondition struct{ subject, part operand }

	// sizeOf is size(path).
	sizeOf struct{ subject operand }
)

func (c andCondition) holds(it item) bool { return c.left.holds(it) && c.right.holds(it) }
func (c orCondition) holds(it item) bool  { return c.left.holds(it) || c.right.holds(it) }
func (c notCondition) holds(it item) bool { return !c.inner.holds(it) }

func (c comparison) holds(it item) bool {
	left, leftOK := c.left.resolve(it)
	right, rightOK := c.right.resolve(it)
	present := leftOK && rightOK
	switch c.op {
	case "=":
		return present && left.equal(right)
	case "<>":
		return !present || !left.equal(right)
	}
	return present && ordered(left, c.op, right)
}

func ordered(left value, op string, right value) bool {
	order, ok := left.compare(right)
	if !ok {
		return false
	}
	switch op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (c betweenCondition) holds(it item) bool {
	v, ok := c.subject.resolve(it)
	low, lowOK := c.low.resolve(it)
	high, highOK := c.high.resolve(it)
	return ok && lowOK && highOK && ordered(v, ">=", low) && ordered(v, "<=", high)
}

func (c inCondition) holds(it item) bool {
	v, ok := c.subject.resolve(it)
	if !ok {
		return false
	}
	for _, o := range c.list {
		if w, ok := o.resolve(it); ok && v.equal(w) {
			return true
		}
	}
	return false
}

func (c existsCondition) holds(it item) bool {
	_, ok := c.path.resolve(it)
	return ok == c.want
}

func (c typeCondition) holds(it item) bool {
	v, ok := c.subject.resolve(it)
	return ok && v.kind == c.kind
}

func (c prefixCondition) holds(it item) bool {
	v, ok := c.subject.resolve(it)
	prefix, prefixOK := c.prefix.resolve(it)
	return ok && prefixOK && v.kind == prefix.kind && (v.kind == kindS || v.kind == kindB) &&
		strings.HasPrefix(v.text, prefix.text)
}

// holds is true for a part of a string or binary, and for an element of a set or list.
func (c containsCondition) holds(it item) bool {
	v, ok := c.subject.resolve(it)
	part, partOK := c.part.resolve(it)
	if !ok || !partOK {
		return false
	}
	if v.kind == kindS || v.kind == kindB {
		return v.kind == part.kind && strings.Contains(v.text, part.text)
	}
	for _, e := range v.elements {
		if e.equal(part) {
			return true
		}
	}
	return false
}

func (o sizeOf) resolve(it item) (value, bool) {
	v, ok := o.subject.resolve(it)
	if !ok {
		return value{}, false
	}
	n, ok := v.length()
	return integerValue(n), ok
}
