package memdynamo

import "slices"

// parseCondition reads a condition. From loosest to tightest its operators are OR, AND, NOT, and comparisons, BETWEEN, IN
// and functions.
func (p *parser) parseCondition() (condition, error) {
	c, _ := p.or()
	if err := p.finish(); err != nil {
		return nil, err
	}
	return c, nil
}

// or, like and and not below, reports with bare that the condition has no parentheses around it yet: a second pair is an
// error of the service.
func (p *parser) or() (c condition, bare bool) {
	c, bare = p.and()
	for p.accept("OR") {
		p.operator()
		right, _ := p.and()
		c, bare = orCondition{c, right}, true
	}
	return c, bare
}

func (p *parser) and() (c condition, bare bool) {
	c, bare = p.not()
	for p.accept("AND") {
		p.operator()
		right, _ := p.not()
		c, bare = andCondition{c, right}, true
	}
	return c, bare
}

func (p *parser) not() (c condition, bare bool) {
	if p.accept("NOT") {
		p.operator()
		inner, _ := p.not()
		return notCondition{inner}, true
	}
	if p.accept("(") {
		c, bare = p.or()
		if !bare {
			p.fail("The expression has redundant parentheses;")
		}
		p.expect(")")
		return c, false
	}
	return p.predicate(), true
}

func (p *parser) predicate() condition {
	function, ok := p.call()
	if !ok {
		return p.compared(p.operand())
	}
	if function == "size" {
		return p.compared(p.size())
	}
	args := p.arguments()
	if p.err != nil {
		return nil
	}
	return p.booleanFunction(function, args)
}

// compared reads what follows the first operand of a comparison.
func (p *parser) compared(left operand) condition {
	p.operator()
	switch {
	case p.accept("BETWEEN"):
		low := p.operand()
		p.expect("AND")
		high := p.operand()
		p.checkBetween(left, low, high)
		return betweenCondition{left, low, high}
	case p.accept("IN"):
		p.expect("(")
		list := p.arguments()
		if len(list) > maxInOperands {
			p.fail("The IN operator is provided with too many operands; number of operands: %d", len(list))
		}
		p.distinct("IN", left, list...)
		return inCondition{left, list}
	}
	if p.tok.kind != tokenSymbol || !slices.Contains(comparators, p.tok.text) {
		p.syntaxError()
		return nil
	}
	op := p.next().text
	right := p.operand()
	p.distinct(op, left, right)
	if op != "=" && op != "<>" {
		p.wantScalar(op, left, right)
	}
	return comparison{op, left, right}
}

var comparators = []string{"=", "<>", "<", "<=", ">", ">="}

func (p *parser) operand() operand {
	if p.tok.kind == tokenValue {
		return p.literal()
	}
	if function, ok := p.call(); ok {
		if function != "size" {
			p.fail("The function is not allowed to be used this way in an expression; function: %s", function)
		}
		return p.size()
	}
	return p.path()
}

// size reads the argument of size; the parenthesis is open.
func (p *parser) size() operand {
	subject := p.path()
	p.expect(")")
	return sizeOf{subject}
}

// arguments reads operands up to the closing parenthesis; the parenthesis is open.
func (p *parser) arguments() []operand {
	args := []operand{p.operand()}
	for p.accept(",") {
		args = append(args, p.operand())
	}
	p.expect(")")
	return args
}

func (p *parser) booleanFunction(function string, args []operand) condition {
	want := 2
	switch function {
	case "attribute_exists", "attribute_not_exists":
		want = 1
	case "attribute_type", "begins_with", "contains":
	case "if_not_exists", "list_append":
		p.fail("The function is not allowed to be used this way in an expression; function: %s", function)
	default:
		p.fail("Invalid function name; function: %s", function)
	}
	if p.err == nil && len(args) != want {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
			function, len(args))
	}
	if p.err != nil {
		return nil
	}
	switch function {
	case "attribute_exists", "attribute_not_exists":
		subject, ok := args[0].(path)
		if !ok {
			p.fail("Operator or function requires a document path; operator or function: %s", function)
		}
		return existsCondition{subject, function == "attribute_exists"}
	case "attribute_type":
		return typeCondition{args[0], p.typeName(args[1])}
	case "begins_with":
		p.distinct(function, args[0], args[1])
		p.wantKind(function, args[0], kindS, kindB)
		p.wantKind(function, args[1], kindS, kindB)
		return prefixCondition{args[0], args[1]}
	}
	p.distinct(function, args[0], args[1])
	return containsCondition{args[0], args[1]}
}

// typeName reads the second argument of attribute_type.
func (p *parser) typeName(o operand) kind {
	l, ok := o.(literal)
	if !ok || l.value.kind != kindS {
		p.fail("Incorrect operand type for operator or function; operator or function: attribute_type, operand type: %s", operandKind(o))
		return 0
	}
	k := kindNamed(l.value.text)
	if k == 0 {
		p.fail("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", l.value.text)
	}
	return k
}

// operandKind is the type of a literal, for messages.
func operandKind(o operand) kind {
	if l, ok := o.(literal); ok {
		return l.value.kind
	}
	return 0
}

// wantKind rejects a literal of another type. A path is judged when the condition is evaluated, and then is just false.
func (p *parser) wantKind(function string, o operand, kinds ...kind) {
	if l, ok := o.(literal); ok && !slices.Contains(kinds, l.value.kind) {
		p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", function, l.value.kind)
	}
}

func (p *parser) wantScalar(op string, operands ...operand) {
	for _, o := range operands {
		p.wantKind(op, o, kindS, kindN, kindB)
	}
}

func (p *parser) checkBetween(subject, low, high operand) {
	p.distinct("BETWEEN", subject, low, high)
	p.wantScalar("BETWEEN", subject, low, high)
	l, lowOK := low.(literal)
	h, highOK := high.(literal)
	if !lowOK || !highOK {
		return
	}
	switch order, ok := l.value.compare(h.value); {
	case !ok:
		p.fail("The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: "+
			"AttributeValue: {%[1]s}, upper bound operand: AttributeValue: {%[2]s}", l.value.kind, h.value.kind)
	case order > 0:
		p.fail("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: "+
			"AttributeValue: {%[1]s:%[2]s}, upper bound operand: AttributeValue: {%[1]s:%[3]s}", l.value.kind, l.value.text, h.value.text)
	}
}

// distinct rejects a path that is compared with itself.
func (p *parser) distinct(op string, first operand, others ...operand) {
	subject, ok := first.(path)
	if !ok {
		return
	}
	for _, o := range others {
		if other, ok := o.(path); ok && subject.compare(other) == 0 {
			p.fail("The first operand must be distinct from the remaining operands for this operator or function; "+
				"operator: %s, first operand: %s", op, subject)
		}
	}
}
