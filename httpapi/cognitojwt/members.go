package cognitojwt

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// members calls visit for each member of the JSON object in text, in order, with the decoded name and the raw value; both are valid
// during the call and share memory with text. It returns ErrMalformed when text is not one JSON object in UTF-8, and otherwise the first
// error of visit.
//
// It stands in for decoding into a struct because encoding/json matches field names without regard to case: a custom claim SUB would
// be taken for sub. It is also several times cheaper, as only the claims that are read are decoded.
func members(text []byte, visit func(name, value []byte) error) error {
	if !utf8.Valid(text) || !json.Valid(text) {
		return ErrMalformed
	}
	c := cursor{text: text}
	if c.next() != '{' {
		return ErrMalformed
	}
	c.at++
	for c.next() != '}' {
		if c.next() == ',' {
			c.at++
			c.next()
		}
		name, _ := unquote(c.value()) // in valid JSON a name is a string
		c.next()
		c.at++ // the colon
		c.next()
		if err := visit(name, c.value()); err != nil {
			return err
		}
	}
	return nil
}

// cursor walks over text that is known to be valid JSON, so it checks nothing again.
type cursor struct {
	text []byte
	at   int
}

// next skips white space and returns the byte that follows it.
func (c *cursor) next() byte {
	for isSpace(c.text[c.at]) {
		c.at++
	}
	return c.text[c.at]
}

// value returns the value that begins at the cursor and moves behind it.
func (c *cursor) value() []byte {
	start := c.at
	switch c.text[c.at] {
	case '"':
		c.skipString()
	case '{', '[':
		c.skipNested()
	default:
		for c.at < len(c.text) && !endsScalar(c.text[c.at]) {
			c.at++
		}
	}
	return c.text[start:c.at]
}

func (c *cursor) skipString() {
	for c.at++; c.text[c.at] != '"'; c.at++ {
		if c.text[c.at] == '\\' {
			c.at++
		}
	}
	c.at++
}

// skipNested needs no stack of brackets: in valid JSON they pair up, so counting them is enough.
func (c *cursor) skipNested() {
	for depth := 0; ; {
		switch c.text[c.at] {
		case '"':
			c.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		c.at++
		if depth == 0 {
			return
		}
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

func endsScalar(b byte) bool { return b == ',' || b == '}' || b == ']' || isSpace(b) }

// unquote returns what a JSON string stands for, without a copy unless it holds an escape; ok is false when value is something else.
func unquote(value []byte) (text []byte, ok bool) {
	if value[0] != '"' {
		return nil, false
	}
	if bytes.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], true
	}
	var s string
	err := json.Unmarshal(value, &s)
	return []byte(s), err == nil
}

// jsonString decodes a JSON string; ok is false when value is something else.
func jsonString(value []byte) (s string, ok bool) {
	text, ok := unquote(value)
	return string(text), ok
}

// jsonStrings decodes a JSON array of strings; ok is false when value is something else.
func jsonStrings(value []byte) (list []string, ok bool) {
	if value[0] != '[' {
		return nil, false
	}
	c := cursor{text: value, at: 1}
	for c.next() != ']' {
		if c.next() == ',' {
			c.at++
			c.next()
		}
		s, ok := jsonString(c.value())
		if !ok {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
