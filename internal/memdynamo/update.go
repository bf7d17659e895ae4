package memdynamo

import "slices"

// update is a parsed UpdateExpression. Every right-hand side reads the item as it was before the update.
type update struct {
	actions []action
}

// action changes what is at one path.
type action struct {
	path path
	term term // gives the new value; nil for REMOVE
	how  merge
}

// merge says how the term's value combines with what is there.
type merge uint8

const (
	replaceValue  merge = iota // SET, REMOVE
	addValue                   // ADD
	deleteElement              // DELETE
)

// term is a right-hand side.
type term interface {
	eval(it item) (value, error)
}

type (
	// sum is left + right, or left − right.
	sum struct {
		left, right term
		subtract    bool
	}
	ifNotExists struct {
		path     path
		fallback term
	}
	listAppend struct{ front, back term }
)

func (l literal) eval(item) (value, error) { return l.value, nil }

func (p path) eval(it item) (value, error) {
	v, ok := p.resolve(it)
	if !ok {
		return value{}, invalid("The provided expression refers to an attribute that does not exist in the item")
	}
	return v, nil
}

func (t ifNotExists) eval(it item) (value, error) {
	if v, ok := t.path.resolve(it); ok {
		return v, nil
	}
	return t.fallback.eval(it)
}

func (t listAppend) eval(it item) (value, error) {
	front, back, err := evalBoth(t.front, t.back, it, kindL)
	if err != nil {
		return value{}, err
	}
	return value{kind: kindL, elements: slices.Concat(front.elements, back.elements)}, nil
}

func (t sum) eval(it item) (value, error) {
	left, right, err := evalBoth(t.left, t.right, it, kindN)
	if err != nil {
		return value{}, err
	}
	text, err := addNumbers(left.text, right.text, t.subtract)
	return value{kind: kindN, text: text}, err
}

func evalBoth(left, right term, it item, want kind) (l, r value, err error) {
	if l, err = left.eval(it); err == nil {
		r, err = right.eval(it)
	}
	if err == nil && (l.kind != want || r.kind != want) {
		err = errWrongType()
	}
	return l, r, err
}

func errWrongType() *apiError {
	return invalid("An operand in the update expression has an incorrect data type")
}

// paths returns the paths that the update changes.
func (u *update) paths() []path {
	paths := make([]path, len(u.actions))
	for i, a := range u.actions {
		paths[i] = a.path
	}
	return paths
}

// apply returns the item after the update.
func (u *update) apply(old item) (item, error) {
	values := make([]*value, len(u.actions))
	for i, a := range u.actions {
		v, err := a.result(old)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	it := old
	for _, i := range u.order(values) {
		var err error
		if it, err = u.actions[i].path.edit(it, values[i]); err != nil {
			return nil, err
		}
	}
	return it, nil
}

// order is the order in which actions are carried out so that indexes of lists keep their meaning: values are set from
// the lowest index on, because those beyond the end append; then elements are removed, from the highest index down.
func (u *update) order(values []*value) []int {
	order := make([]int, len(u.actions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		removeI, removeJ := values[i] == nil, values[j] == nil
		switch {
		case removeI && removeJ:
			return u.actions[j].path.compare(u.actions[i].path)
		case removeI:
			return 1
		case removeJ:
			return -1
		}
		return u.actions[i].path.compare(u.actions[j].path)
	})
	return order
}

// result is the value that the action leaves at its path, nil for none.
func (a action) result(old item) (*value, error) {
	if a.term == nil {
		return nil, nil
	}
	operand, err := a.term.eval(old)
	if err != nil || a.how == replaceValue {
		return &operand, err
	}
	current, exists := a.path.resolve(old)
	if a.how == deleteElement {
		return deleted(current, exists, operand)
	}
	return added(current, exists, operand)
}

func added(current value, exists bool, operand value) (*value, error) {
	switch {
	case !exists:
		return &operand, nil
	case current.kind != operand.kind:
		return nil, errWrongType()
	case operand.kind == kindN:
		text, err := addNumbers(current.text, operand.text, false)
		return &value{kind: kindN, text: text}, err
	}
	current = current.union(operand)
	return &current, nil
}

// deleted removes elements from a set; a set without elements does not exist.
func deleted(current value, exists bool, operand value) (*value, error) {
	if !exists {
		return nil, nil
	}
	if current.kind != operand.kind {
		return nil, errWrongType()
	}
	if current = current.difference(operand); len(current.elements) == 0 {
		return nil, nil
	}
	return &current, nil
}
