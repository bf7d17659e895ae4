package memdynamo

import (
	"maps"
	"slices"
	"strings"
)

// placeholders are the #names and :values of a request. Every one that an expression uses must be defined, and every one
// that is defined must be used.
type placeholders struct {
	names  map[string]string // nil when the request has none
	values item              // nil when the request has none
	used   []string
}

func (p *placeholders) name(ref string) (string, bool) {
	name, ok := p.names[ref]
	p.use(ref)
	return name, ok
}

func (p *placeholders) value(ref string) (value, bool) {
	p.use(ref)
	return p.values.get(ref)
}

func (p *placeholders) use(ref string) {
	if !slices.Contains(p.used, ref) {
		p.used = append(p.used, ref)
	}
}

// check is called when all expressions of the request are parsed. expressions says whether there were any.
func (p *placeholders) check(expressions bool) error {
	if p.names != nil {
		keys := slices.Sorted(maps.Keys(p.names))
		if err := p.checkKeys("ExpressionAttributeNames", '#', keys, expressions); err != nil {
			return err
		}
	}
	if p.values == nil {
		return nil
	}
	keys := make([]string, len(p.values))
	for i, a := range p.values {
		keys[i] = a.name
	}
	return p.checkKeys("ExpressionAttributeValues", ':', keys, expressions)
}

func (p *placeholders) checkKeys(parameter string, mark byte, keys []string, expressions bool) error {
	if !expressions {
		return invalid("%s can only be specified when using expressions", parameter)
	}
	if len(keys) == 0 {
		return invalid("%s must not be empty", parameter)
	}
	var unused []string
	for _, ref := range keys {
		if len(ref) < 2 || ref[0] != mark || span(ref, 1, wordByte) < len(ref) {
			return invalid("%s contains invalid key: Syntax error; key: %q", parameter, ref)
		}
		if !slices.Contains(p.used, ref) {
			unused = append(unused, ref)
		}
	}
	if len(unused) > 0 {
		return invalid("Value provided in %s unused in expressions: keys: {%s}", parameter, strings.Join(unused, ", "))
	}
	return nil
}
