package ratelimit_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// A small interpreter of the expressions that the limiters send, quick enough for a million steps. The engine tests run the same
// expressions on a whole DynamoDB.

type item = map[string]types.AttributeValue

// scope is what an expression refers to.
type scope struct {
	old    item
	names  map[string]string
	values item
}

type (
	condition  func(scope) bool
	operand    func(scope) types.AttributeValue // nil if there is none
	assignment struct {
		target string
		value  operand
	}
)

// compiled caches parsed expressions by their text.
type compiled struct{ conditions, updates sync.Map }

func (c *compiled) condition(text string) condition {
	if parsed, ok := c.conditions.Load(text); ok {
		return parsed.(condition)
	}
	p := &parser{tokens: tokens(text)}
	parsed := p.or()
	p.end()
	c.conditions.Store(text, parsed)
	return parsed
}

func (c *compiled) update(text string) []assignment {
	if parsed, ok := c.updates.Load(text); ok {
		return parsed.([]assignment)
	}
	p := &parser{tokens: tokens(text)}
	p.take("SET")
	var parsed []assignment
	for more := true; more; more = p.skip(",") {
		target := p.next()
		p.take("=")
		parsed = append(parsed, assignment{target, p.sum()})
	}
	p.end()
	c.updates.Store(text, parsed)
	return parsed
}

func tokens(text string) []string {
	for _, sign := range []string{"(", ")", ",", "+"} {
		text = strings.ReplaceAll(text, sign, " "+sign+" ")
	}
	return strings.Fields(text)
}

type parser struct{ tokens []string }

func (p *parser) peek() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

func (p *parser) next() string {
	t := p.peek()
	p.tokens = p.tokens[min(1, len(p.tokens)):]
	return t
}

func (p *parser) skip(token string) bool {
	if p.peek() != token {
		return false
	}
	p.next()
	return true
}

func (p *parser) take(token string) {
	if !p.skip(token) {
		panic(fmt.Sprintf("want %s before %q", token, p.tokens))
	}
}

func (p *parser) end() {
	if len(p.tokens) > 0 {
		panic(fmt.Sprintf("left over: %q", p.tokens))
	}
}

func (p *parser) or() condition {
	left := p.and()
	for p.skip("OR") {
		l, r := left, p.and()
		left = func(s scope) bool { return l(s) || r(s) }
	}
	return left
}

func (p *parser) and() condition {
	left := p.term()
	for p.skip("AND") {
		l, r := left, p.term()
		left = func(s scope) bool { return l(s) && r(s) }
	}
	return left
}

func (p *parser) term() condition {
	switch {
	case p.skip("NOT"):
		c := p.term()
		return func(s scope) bool { return !c(s) }
	case p.skip("("):
		c := p.or()
		p.take(")")
		return c
	case p.skip("attribute_not_exists"):
		p.take("(")
		a := p.operand()
		p.take(")")
		return func(s scope) bool { return a(s) == nil }
	case p.skip("attribute_type"):
		p.take("(")
		a := p.operand()
		p.take(",")
		kind := p.operand()
		p.take(")")
		return func(s scope) bool { return typeOf(a(s)) == kind(s).(*types.AttributeValueMemberS).Value }
	default:
		return p.comparison()
	}
}

func (p *parser) comparison() condition {
	left := p.operand()
	op := p.next()
	if op == "BETWEEN" {
		low := p.operand()
		p.take("AND")
		high := p.operand()
		return func(s scope) bool { return holds(">=", left(s), low(s)) && holds("<=", left(s), high(s)) }
	}
	if !slices.Contains([]string{"=", "<", "<=", ">", ">="}, op) {
		panic("unknown operator " + op)
	}
	right := p.operand()
	return func(s scope) bool { return holds(op, left(s), right(s)) }
}

func (p *parser) sum() operand {
	left := p.operand()
	if !p.skip("+") {
		return left
	}
	right := p.operand()
	return func(s scope) types.AttributeValue {
		return &types.AttributeValueMemberN{Value: new(big.Int).Add(integer(left(s)), integer(right(s))).String()}
	}
}

func (p *parser) operand() operand {
	name := p.next()
	if name == "if_not_exists" {
		p.take("(")
		first := p.operand()
		p.take(",")
		second := p.operand()
		p.take(")")
		return func(s scope) types.AttributeValue {
			if v := first(s); v != nil {
				return v
			}
			return second(s)
		}
	}
	if strings.HasPrefix(name, ":") {
		return func(s scope) types.AttributeValue { return s.values[name] }
	}
	return func(s scope) types.AttributeValue { return s.old[s.name(name)] }
}

func (s scope) name(name string) string {
	if strings.HasPrefix(name, "#") {
		return s.names[name]
	}
	return name
}

func holds(op string, a, b types.AttributeValue) bool {
	if typeOf(a) != typeOf(b) || a == nil {
		return false
	}
	var order int
	if s, ok := a.(*types.AttributeValueMemberS); ok {
		order = strings.Compare(s.Value, b.(*types.AttributeValueMemberS).Value)
	} else {
		order = integer(a).Cmp(integer(b))
	}
	return order == 0 && strings.HasSuffix(op, "=") || order < 0 && op[0] == '<' || order > 0 && op[0] == '>'
}

func typeOf(v types.AttributeValue) string {
	switch v.(type) {
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberS:
		return "S"
	}
	return ""
}

func integer(v types.AttributeValue) *big.Int {
	n, ok := new(big.Int).SetString(v.(*types.AttributeValueMemberN).Value, 10)
	if !ok {
		panic("not an integer: " + v.(*types.AttributeValueMemberN).Value)
	}
	return n
}
