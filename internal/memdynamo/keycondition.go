package memdynamo

import "slices"

// keyPredicate is one conjunct of a key condition: attribute, operator and the values that it is compared with.
type keyPredicate struct {
	name   string
	op     string // = < <= > >= BETWEEN begins_with
	values []value
}

// keyPredicates splits a KeyConditionExpression into its one or two conjuncts.
func keyPredicates(c condition) ([]keyPredicate, error) {
	switch c := c.(type) {
	case andCondition:
		left, err := keyPredicates(c.left)
		if err != nil {
			return nil, err
		}
		right, err := keyPredicates(c.right)
		return append(left, right...), err
	case comparison:
		if c.op == "<>" {
			return nil, invalid("Unsupported operator on KeyCondition: operator: <>")
		}
		return onePredicate(c.op, c.left, c.right)
	case betweenCondition:
		return onePredicate("BETWEEN", c.subject, c.low, c.high)
	case prefixCondition:
		return onePredicate("begins_with", c.subject, c.prefix)
	case orCondition:
		return nil, invalid("Invalid operator used in KeyConditionExpression: OR")
	case notCondition:
		return nil, invalid("Invalid operator used in KeyConditionExpression: NOT")
	}
	return nil, invalid("Query key condition not supported")
}

func onePredicate(op string, subject operand, operands ...operand) ([]keyPredicate, error) {
	attr, ok := subject.(path)
	if !ok || len(attr) != 1 {
		return nil, invalid("Query key condition not supported")
	}
	p := keyPredicate{name: attr[0].name, op: op}
	for _, o := range operands {
		l, ok := o.(literal)
		if !ok {
			return nil, invalid("Invalid condition in KeyConditionExpression: a key is compared with a value only")
		}
		p.values = append(p.values, l.value)
	}
	return []keyPredicate{p}, nil
}

// keyRange turns a key condition into the places that it covers.
func (k keySchema) keyRange(predicates []keyPredicate) (placeRange, error) {
	i := slices.IndexFunc(predicates, func(p keyPredicate) bool { return p.name == k.hash.name })
	if i < 0 {
		return placeRange{}, invalid("Query condition missed key schema element: %s", k.hash.name)
	}
	hash := predicates[i]
	if len(predicates) > 2 || hash.op != "=" {
		return placeRange{}, invalid("Query key condition not supported")
	}
	if err := hash.check(k.hash, true); err != nil {
		return placeRange{}, err
	}
	partition := partitionPlace(hash.values[0])
	if len(predicates) == 1 {
		return startingWith(partition), nil
	}
	sort := predicates[1-i]
	if k.sort.name == "" || sort.name != k.sort.name {
		return placeRange{}, invalid("Query key condition not supported")
	}
	if err := sort.check(k.sort, false); err != nil {
		return placeRange{}, err
	}
	return sort.rangeIn(partition), nil
}

func (p keyPredicate) check(attr keyAttribute, partition bool) error {
	for _, v := range p.values {
		if v.kind != attr.kind {
			return invalidValue("Condition parameter type does not match schema type")
		}
		if err := checkKeySize(v, partition, "Key: "+attr.name); err != nil {
			return err
		}
	}
	return nil
}

// rangeIn is the range of a condition on the sort key, in the partition that starts with the prefix.
func (p keyPredicate) rangeIn(partition string) placeRange {
	first := partition + sortPlace(p.values[0])
	whole := startingWith(partition)
	switch p.op {
	case "=":
		return placeRange{first + endOfPart, first + afterPart}
	case "<":
		return placeRange{whole.from, first + endOfPart}
	case "<=":
		return placeRange{whole.from, first + afterPart}
	case ">":
		return placeRange{first + afterPart, whole.to}
	case ">=":
		return placeRange{first + endOfPart, whole.to}
	case "BETWEEN":
		return placeRange{first + endOfPart, partition + sortPlace(p.values[1]) + afterPart}
	}
	return startingWith(first)
}
