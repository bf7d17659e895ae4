package memdynamo

import (
	"slices"
	"strings"
)

// parseUpdate reads an update expression: the sections SET, REMOVE, ADD and DELETE, each at most once.
func (p *parser) parseUpdate() (*update, error) {
	u := &update{}
	var seen []string
	for p.tok.kind == tokenWord {
		section := strings.ToUpper(p.tok.text)
		if slices.Contains(seen, section) {
			p.fail("The %q section can only be used once in an update expression;", section)
			break
		}
		seen = append(seen, section)
		u.actions = append(u.actions, p.section(section)...)
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return u, disjoint(p.clause, u.paths())
}

func (p *parser) section(name string) []action {
	var read func() action
	switch name {
	case "SET":
		read = p.setAction
	case "REMOVE":
		read = func() action { return action{path: p.path()} }
	case "ADD":
		read = func() action { return p.mergeAction(name, addValue, kindN, kindSS, kindNS, kindBS) }
	case "DELETE":
		read = func() action { return p.mergeAction(name, deleteElement, kindSS, kindNS, kindBS) }
	default:
		p.syntaxError()
		return nil
	}
	p.next()
	actions := []action{read()}
	for p.accept(",") {
		actions = append(actions, read())
	}
	return actions
}

func (p *parser) setAction() action {
	target := p.path()
	p.expect("=")
	left := p.term()
	for _, op := range []string{"+", "-"} {
		if p.accept(op) {
			p.operator()
			right := p.term()
			p.wantTerm(op, left, kindN)
			p.wantTerm(op, right, kindN)
			return action{path: target, term: sum{left, right, op == "-"}}
		}
	}
	return action{path: target, term: left}
}

// mergeAction reads "path :value" of ADD or DELETE.
func (p *parser) mergeAction(section string, how merge, kinds ...kind) action {
	target := p.path()
	if p.tok.kind != tokenValue {
		p.syntaxError()
		return action{}
	}
	operand := p.literal()
	p.operator()
	p.wantTerm(section, operand, kinds...)
	return action{path: target, term: operand, how: how}
}

// term reads a path, a :placeholder or a function of update expressions.
func (p *parser) term() term {
	if p.tok.kind == tokenValue {
		return p.literal()
	}
	function, ok := p.call()
	if !ok {
		return p.path()
	}
	switch function {
	case "if_not_exists":
		subject := p.path()
		p.expect(",")
		fallback := p.term()
		p.expect(")")
		return ifNotExists{subject, fallback}
	case "list_append":
		front := p.term()
		p.expect(",")
		back := p.term()
		p.expect(")")
		p.wantTerm(function, front, kindL)
		p.wantTerm(function, back, kindL)
		return listAppend{front, back}
	}
	p.fail("Invalid function name; function: %s", function)
	return nil
}

// wantTerm rejects a literal of another type; everything else is judged when it is evaluated.
func (p *parser) wantTerm(op string, t term, kinds ...kind) {
	if l, ok := t.(literal); ok {
		p.wantKind(op, l, kinds...)
	}
}
