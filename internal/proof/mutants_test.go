package proof

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of a decision function: source[from:to] becomes text.
type mutant struct {
	pkg, file string // the package's directory below the module, the file in it
	function  string
	line      int
	from, to  int // offsets in the file
	before    string
	after     string
}

// String names a mutant by its function and change; line numbers move too easily.
func (m mutant) String() string { return fmt.Sprintf("%s.%s: %s", m.pkg, m.function, m.change()) }

func (m mutant) change() string {
	after := "nothing"
	if m.after != "" {
		after = m.after
	}
	return oneLine(m.before) + " → " + oneLine(after)
}

func oneLine(code string) string { return strings.Join(strings.Fields(code), " ") }

// mutantsOf returns the mutants of a package's decision functions and of the functions of the package that they call.
func mutantsOf(root, pkg string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
	if err != nil {
		return nil, err
	}
	p := &mutatedPackage{name: pkg, fset: token.NewFileSet(), functions: map[string]*decision{}}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		if err := p.read(file); err != nil {
			return nil, err
		}
	}
	var found []mutant
	for _, d := range p.decisions() {
		found = append(found, p.mutate(d)...)
	}
	return found, nil
}

// mutatedPackage is a package whose decision functions are looked for.
type mutatedPackage struct {
	name      string
	fset      *token.FileSet
	functions map[string]*decision
}

// decision is a function, with its source.
type decision struct {
	file   string
	source []byte
	decl   *ast.FuncDecl
}

func (p *mutatedPackage) read(file string) error {
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	parsed, err := parser.ParseFile(p.fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && pure(f) {
			p.functions[f.Name.Name] = &decision{file: file, source: source, decl: f}
		}
	}
	return nil
}

// pure says whether a function can be part of a decision: it is not exported, and takes no context.
func pure(f *ast.FuncDecl) bool {
	for _, parameter := range f.Type.Params.List {
		if selector, ok := parameter.Type.(*ast.SelectorExpr); ok && selector.Sel.Name == "Context" {
			return false
		}
	}
	return !f.Name.IsExported()
}

// decisions are the functions called decide…, and what they call in the same package, by name.
func (p *mutatedPackage) decisions() []*decision {
	names := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		f := p.functions[name]
		if f == nil || names[name] {
			return
		}
		names[name] = true
		ast.Inspect(f.decl.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch called := call.Fun.(type) {
			case *ast.Ident:
				add(called.Name)
			case *ast.SelectorExpr: // a method, if the package has one of that name
				if m := p.functions[called.Sel.Name]; m != nil && m.decl.Recv != nil {
					add(called.Sel.Name)
				}
			}
			return true
		})
	}
	for name := range p.functions {
		if strings.HasPrefix(name, "decide") {
			add(name)
		}
	}
	var found []*decision
	for name := range names {
		found = append(found, p.functions[name])
	}
	slices.SortFunc(found, func(a, b *decision) int { return int(a.decl.Pos() - b.decl.Pos()) })
	return found
}

// mutate returns the mutants of one function.
func (p *mutatedPackage) mutate(d *decision) []mutant {
	var found []mutant
	replace := func(from, to token.Pos, text string) {
		start, end := p.fset.Position(from), p.fset.Position(to)
		found = append(found, mutant{
			pkg: p.name, file: d.file, function: d.decl.Name.Name, line: start.Line,
			from: start.Offset, to: end.Offset, before: string(d.source[start.Offset:end.Offset]), after: text,
		})
	}
	code := func(n ast.Node) string {
		return string(d.source[p.fset.Position(n.Pos()).Offset:p.fset.Position(n.End()).Offset])
	}
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			replace(n.Cond.Pos(), n.Cond.End(), "!("+code(n.Cond)+")")
			if n.Init == nil && n.Else == nil {
				replace(n.Pos(), n.End(), "")
			}
		case *ast.BinaryExpr:
			if other := turned(n.Op); other != "" {
				replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
			}
		case *ast.ExprStmt, *ast.IncDecStmt:
			replace(n.Pos(), n.End(), "")
		case *ast.AssignStmt:
			mutateAssignment(n, replace, code)
		case *ast.CaseClause:
			if n.List != nil {
				replace(n.Pos(), n.End(), "")
			}
		case *ast.KeyValueExpr:
			replace(n.Value.Pos(), n.Value.End(), zeroOf(n.Value))
		case *ast.BasicLit:
			if v, err := strconv.Atoi(n.Value); n.Kind == token.INT && err == nil {
				replace(n.Pos(), n.End(), strconv.Itoa(v+1))
			}
		}
		return true
	})
	return slices.DeleteFunc(found, func(m mutant) bool { return m.before == m.after })
}

// mutateAssignment drops an assignment; of one with several sides, each pair by itself. A declaration stays, for it is used.
func mutateAssignment(n *ast.AssignStmt, replace func(from, to token.Pos, text string), code func(ast.Node) string) {
	if n.Tok == token.DEFINE {
		return
	}
	if len(n.Lhs) == 1 || len(n.Lhs) != len(n.Rhs) {
		replace(n.Pos(), n.End(), "")
		return
	}
	for i := range n.Lhs {
		var left, right []string
		for j := range n.Lhs {
			if j != i {
				left, right = append(left, code(n.Lhs[j])), append(right, code(n.Rhs[j]))
			}
		}
		replace(n.Pos(), n.End(), strings.Join(left, ", ")+" = "+strings.Join(right, ", "))
	}
}

// turned is what an operator is mistaken for; empty for none.
func turned(op token.Token) string {
	return map[token.Token]string{
		token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
		token.LAND: "||", token.LOR: "&&", token.ADD: "-", token.SUB: "+",
	}[op]
}

// zeroOf is a value of the kind that a literal has, or nil: what does not compile counts for nothing.
func zeroOf(value ast.Expr) string {
	if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		return `""`
	}
	if id, ok := value.(*ast.Ident); ok && id.Name == "true" {
		return "false"
	}
	return "nil"
}
