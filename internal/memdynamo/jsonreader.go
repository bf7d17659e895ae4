package memdynamo

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

// jsonReader pulls a request apart member by member. Its error is sticky: after the first one every method returns a
// zero value and every loop ends, so that callers check once, with finish.
//
// It exists beside encoding/json for two reasons: members that nobody reads are errors, with their name, and a request
// costs little beside what the SDK spends on it.
type jsonReader struct {
	data []byte
	pos  int
	err  *apiError
}

// object calls each for every member that is not null; each must consume the member's value.
func (r *jsonReader) object(each func(name string)) {
	r.list('{', '}', func() {
		name := r.str()
		r.expect(':')
		if !r.null() && r.err == nil {
			each(name)
		}
	})
}

// array calls each for every element; each must consume it.
func (r *jsonReader) array(each func()) {
	r.list('[', ']', each)
}

func (r *jsonReader) list(opening, closing byte, each func()) {
	r.expect(opening)
	for first := true; r.err == nil; first = false {
		if r.peek() == closing {
			r.pos++
			return
		}
		if !first {
			r.expect(',')
		}
		if r.err == nil {
			each()
		}
	}
}

// str reads a string. The text is a copy: it does not hold on to the request.
func (r *jsonReader) str() string {
	if r.peek() != '"' {
		r.fail(malformed("expected a string"))
		return ""
	}
	body := r.data[r.pos+1:]
	plain := true
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			r.pos += i + 2
			return r.text(body[:i], plain)
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			r.fail(malformed("control character in a string"))
			return ""
		}
	}
	r.fail(malformed("unexpected end of input"))
	return ""
}

// text decodes the inside of a string; escapes and broken UTF-8 go the long way.
func (r *jsonReader) text(body []byte, plain bool) string {
	if plain && utf8.Valid(body) {
		return string(body)
	}
	var s string
	quoted := append(append([]byte{'"'}, body...), '"')
	if err := json.Unmarshal(quoted, &s); err != nil {
		r.fail(malformed("malformed string"))
	}
	return s
}

func (r *jsonReader) boolean() bool {
	switch {
	case r.literal("true"):
		return true
	case r.literal("false"):
		return false
	}
	r.fail(malformed("expected true or false"))
	return false
}

func (r *jsonReader) integer() int {
	r.peek()
	start := r.pos
	for r.pos < len(r.data) && (r.data[r.pos] == '-' || '0' <= r.data[r.pos] && r.data[r.pos] <= '9') {
		r.pos++
	}
	n, err := strconv.ParseInt(string(r.data[start:r.pos]), 10, 32)
	if err != nil {
		r.fail(malformed("expected an integer"))
	}
	return int(n)
}

// stringMap reads an object whose members are all strings; an object without members gives an empty map.
func (r *jsonReader) stringMap() map[string]string {
	m := map[string]string{}
	r.object(func(name string) { m[name] = r.str() })
	return m
}

// finish returns the first error; input after the value is one.
func (r *jsonReader) finish() error {
	if r.err == nil && r.peek() != 0 {
		r.fail(malformed("unexpected input after the request"))
	}
	if r.err != nil {
		return r.err
	}
	return nil
}

func (r *jsonReader) fail(err error) {
	if r.err == nil && !errors.As(err, &r.err) {
		r.err = malformed("%v", err)
	}
}

// peek skips blanks and returns the next byte, or 0 at the end of input and after an error.
func (r *jsonReader) peek() byte {
	for r.err == nil && r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case ' ', '\t', '\r', '\n':
			r.pos++
		case 0:
			r.fail(malformed("unexpected zero byte"))
		default:
			return c
		}
	}
	return 0
}

func (r *jsonReader) expect(c byte) {
	if r.peek() != c {
		r.fail(malformed("expected '%c'", c))
		return
	}
	r.pos++
}

func (r *jsonReader) null() bool { return r.literal("null") }

func (r *jsonReader) literal(word string) bool {
	if r.peek() != word[0] || !bytes.HasPrefix(r.data[r.pos:], []byte(word)) {
		return false
	}
	r.pos += len(word)
	return true
}
