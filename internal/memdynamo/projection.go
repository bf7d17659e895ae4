package memdynamo

// projection is a parsed ProjectionExpression; nil projects everything.
type projection []path

func (p *parser) parseProjection() (projection, error) {
	paths := projection{p.path()}
	for p.accept(",") {
		paths = append(paths, p.path())
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	return paths, disjoint(p.clause, paths)
}

// of returns the parts of the item that the projection names.
func (pr projection) of(it item) item {
	if pr == nil {
		return it
	}
	return pick(it, pr)
}

// pick returns the parts of a map at the given paths.
func pick(it item, paths []path) item {
	out := item{}
	for _, a := range it {
		if v, ok := pickValue(a.value, tails(paths, step{name: a.name})); ok {
			out = append(out, attribute{a.name, v})
		}
	}
	return out
}

// pickValue returns the part of a value at the given paths below it. An empty path stands for all of it. Elements of a
// list close up, in their order.
func pickValue(v value, paths []path) (value, bool) {
	for _, p := range paths {
		if len(p) == 0 {
			return v, true
		}
	}
	out := value{kind: v.kind}
	if len(paths) == 0 {
		return out, false
	}
	switch v.kind {
	case kindM:
		out.fields = pick(v.fields, paths)
		return out, len(out.fields) > 0
	case kindL:
		for i, e := range v.elements {
			if part, ok := pickValue(e, tails(paths, step{index: i})); ok {
				out.elements = append(out.elements, part)
			}
		}
	}
	return out, len(out.elements) > 0
}

// tails returns what remains of the paths that begin with a step.
func tails(paths []path, first step) []path {
	var rest []path
	for _, p := range paths {
		if p[0] == first {
			rest = append(rest, p[1:])
		}
	}
	return rest
}
