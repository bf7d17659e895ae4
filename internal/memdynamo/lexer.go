package memdynamo

import "strings"

type tokenKind uint8

const (
	tokenEnd    tokenKind = iota
	tokenWord             // attribute name, keyword or function
	tokenName             // #placeholder
	tokenValue            // :placeholder
	tokenIndex            // digits
	tokenSymbol           // operator or punctuation
)

type token struct {
	kind tokenKind
	text string
}

// is reports whether the token is the symbol, or the keyword in any case.
func (t token) is(text string) bool {
	switch t.kind {
	case tokenSymbol:
		return t.text == text
	case tokenWord:
		return strings.EqualFold(t.text, text)
	}
	return false
}

// nextToken splits the first token off an expression; ok is false if no token can start there.
func nextToken(src string) (tok token, rest string, ok bool) {
	src = strings.TrimLeft(src, " \t\r\n")
	if src == "" {
		return token{}, "", true
	}
	n, k := 1, tokenSymbol
	switch c := src[0]; {
	case letter(c):
		n, k = span(src, 1, wordByte), tokenWord
	case digit(c):
		n, k = span(src, 1, digit), tokenIndex
	case c == '#' || c == ':':
		n, k = span(src, 1, wordByte), tokenName
		if c == ':' {
			k = tokenValue
		}
		if n == 1 {
			return token{}, "", false
		}
	case strings.HasPrefix(src, "<>"), strings.HasPrefix(src, "<="), strings.HasPrefix(src, ">="):
		n = 2
	case strings.IndexByte("=<>(),.[]+-", c) < 0:
		return token{}, "", false
	}
	return token{k, src[:n]}, src[n:], true
}

func span(src string, n int, in func(byte) bool) int {
	for n < len(src) && in(src[n]) {
		n++
	}
	return n
}

func letter(c byte) bool   { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool    { return '0' <= c && c <= '9' }
func wordByte(c byte) bool { return letter(c) || digit(c) || c == '_' }
