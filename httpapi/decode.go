package httpapi

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Request bodies are flat objects of strings. encoding/json alone would match names in any case, let the last of two equal names win,
// ignore what it does not know, and replace text that is not Unicode. Here all of that is refused, and named.

// field is a member that a request body may have.
type field struct {
	name     string
	required bool
	nullable bool
}

// input holds the members that a body has: nil for null, no entry for one that is missing.
type input map[string]*string

// text is the value of a member, nil when it is null or missing.
func (in input) text(name string) *string { return in[name] }

// isNull says whether a member is there and null.
func (in input) isNull(name string) bool {
	value, ok := in[name]
	return ok && value == nil
}

const (
	maxDepth   = 32 // of arrays and objects in each other
	maxUnknown = 20 // fields that are not known and are named in an answer
	maxEcho    = 64 // characters of such a name
)

// decode reads a body that may have the fields given and no others. It returns a *bodyError that lists every bad field, and with
// it the fields that can be read.
func decode(body []byte, fields ...field) (input, error) {
	members, err := parse(body)
	if err != nil {
		return nil, err
	}
	in := input{}
	bad := &bodyError{message: textInvalidBody}
	for _, f := range fields {
		found := members.take(f.name)
		switch {
		case len(found) > 1:
			bad.add(f.name, "must not be there twice")
		case len(found) == 1:
			value, problem := found[0].value(f.nullable)
			if problem != "" {
				bad.add(f.name, problem)
			}
			in[f.name] = value
		case f.required:
			bad.add(f.name, "is required")
		}
	}
	for _, unknown := range members.names(maxUnknown) {
		bad.add(echo(unknown), "is not a known field")
	}
	if len(bad.details) > 0 {
		return in, bad
	}
	return in, nil
}

// parse splits a JSON object into its members. It returns a *bodyError for what is not one JSON object.
func parse(body []byte) (memberList, error) {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return nil, &bodyError{message: "Request body must not be empty"}
	case !utf8.Valid(body):
		return nil, &bodyError{message: "Request body must be valid UTF-8"}
	case !json.Valid(body):
		return nil, &bodyError{message: "Request body must be one valid JSON value"}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if next(dec) != json.Delim('{') {
		return nil, &bodyError{message: "Request body must be a JSON object"}
	}
	var members memberList
	for dec.More() {
		name, _ := next(dec).(string)
		start := dec.InputOffset()
		if problem := walk(dec, 1); problem != "" {
			bad := &bodyError{message: textInvalidBody}
			bad.add(echo(name), problem)
			return nil, bad
		}
		raw := bytes.TrimLeft(body[start:dec.InputOffset()], ": \t\r\n")
		members = append(members, member{name: name, raw: raw})
	}
	return members, nil
}

// next is the next token of a body that is known to be valid JSON: there is one, and no error.
func next(dec *json.Decoder) json.Token {
	token, _ := dec.Token()
	return token
}

// walk reads over one value that stands in depth arrays and objects, and says what is wrong with it: no object in it may have a name twice.
func walk(dec *json.Decoder, depth int) (problem string) {
	start, nested := next(dec).(json.Delim)
	if !nested {
		return ""
	}
	if depth == maxDepth {
		return "is nested too deeply"
	}
	seen := map[string]bool{}
	for dec.More() {
		if start == '{' {
			name, _ := next(dec).(string)
			if seen[name] {
				return "has a field twice"
			}
			seen[name] = true
		}
		if problem := walk(dec, depth+1); problem != "" {
			return problem
		}
	}
	next(dec) // the end of the array or object
	return ""
}

// echo is a name from the client as it is repeated in an answer.
func echo(name string) string {
	if utf8.RuneCountInString(name) <= maxEcho {
		return name
	}
	return string([]rune(name)[:maxEcho]) + "…"
}
