package memdynamo

import "strconv"

// Limits of expressions ("Quotas", DynamoDB developer guide).
const (
	maxExpression = 4096 // bytes
	maxOperators  = 300
	maxInOperands = 100
)

// parser reads one expression. Its error is sticky: after the first one the current token is the end of input, so every
// loop stops and callers check once.
type parser struct {
	clause    string // the request parameter, for messages
	rest      string
	tok       token
	refs      *placeholders
	operators int
	paths     []path // every path the expression names
	err       error
}

func newParser(clause, src string, refs *placeholders) *parser {
	p := &parser{clause: clause, rest: src, refs: refs}
	if len(src) > maxExpression {
		p.fail("Expression size has exceeded the maximum allowed size; expression size: %d", len(src))
		return p
	}
	p.next()
	if p.err == nil && p.tok.kind == tokenEnd {
		p.fail("The expression can not be empty;")
	}
	return p
}

// finish returns the first error; text after the expression is one.
func (p *parser) finish() error {
	if p.tok.kind != tokenEnd {
		p.syntaxError()
	}
	return p.err
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid("Invalid "+p.clause+": "+format, args...)
	}
	p.tok, p.rest = token{}, ""
}

func (p *parser) syntaxError() {
	text := p.tok.text
	if p.tok.kind == tokenEnd {
		text = "<EOF>"
	}
	p.fail("Syntax error; token: %q, near: %q", text, text+p.rest[:min(len(p.rest), 20)])
}

func (p *parser) next() token {
	last := p.tok
	tok, rest, ok := nextToken(p.rest)
	if !ok {
		p.fail("Syntax error; near: %q", p.rest[:min(len(p.rest), 20)])
		return last
	}
	p.tok, p.rest = tok, rest
	return last
}

// accept steps over the symbol or keyword if it is next.
func (p *parser) accept(text string) bool {
	if !p.tok.is(text) {
		return false
	}
	p.next()
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		p.syntaxError()
	}
}

// operator counts one operator or function towards the limit.
func (p *parser) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: %d", p.operators)
	}
}

// call reports whether the next tokens start a call, and steps over the function's name and the parenthesis.
func (p *parser) call() (function string, ok bool) {
	if p.tok.kind != tokenWord {
		return "", false
	}
	paren, rest, ok := nextToken(p.rest)
	if !ok || !paren.is("(") {
		return "", false
	}
	function = p.tok.text
	p.rest = rest
	p.next()
	p.operator()
	return function, true
}

// path reads a document path and resolves its #names.
func (p *parser) path() path {
	steps := path{{name: p.attributeName()}}
	for p.err == nil {
		switch {
		case p.accept("."):
			steps = append(steps, step{name: p.attributeName()})
		case p.accept("["):
			steps = append(steps, step{index: p.index()})
			p.expect("]")
		default:
			p.paths = append(p.paths, steps)
			return steps
		}
	}
	return steps
}

func (p *parser) attributeName() string {
	switch p.tok.kind {
	case tokenWord:
		if reserved(p.tok.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", p.tok.text)
		}
		return p.next().text
	case tokenName:
		name, ok := p.refs.name(p.tok.text)
		if !ok {
			p.fail("An expression attribute name used in the document path is not defined; attribute name: %s", p.tok.text)
		}
		p.next()
		return name
	}
	p.syntaxError()
	return ""
}

func (p *parser) index() int {
	if p.tok.kind != tokenIndex {
		p.syntaxError()
	}
	n, err := strconv.Atoi(p.next().text)
	if err != nil && p.err == nil {
		p.fail("List index is not within the allowable range")
	}
	return n
}

// literal reads a :placeholder.
func (p *parser) literal() literal {
	ref := p.next()
	v, ok := p.refs.value(ref.text)
	if !ok {
		p.fail("An expression attribute value used in expression is not defined; attribute value: %s", ref.text)
	}
	return literal{v}
}

// literal is a value given with the request.
type literal struct {
	value value
}

func (l literal) resolve(item) (value, bool) { return l.value, true }
