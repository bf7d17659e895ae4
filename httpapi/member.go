package httpapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// member is one name and value of the object in a body. raw is the value as it was sent, and is valid JSON.
type member struct {
	name string
	raw  []byte
}

// memberList is the members of an object, in the order in which they were sent.
type memberList []member

// take removes the members of a name and returns them.
func (l *memberList) take(name string) memberList {
	var taken, rest memberList
	for _, m := range *l {
		if m.name == name {
			taken = append(taken, m)
		} else {
			rest = append(rest, m)
		}
	}
	*l = rest
	return taken
}

// names are at most limit of the names, each once.
func (l memberList) names(limit int) []string {
	var names []string
	for _, m := range l {
		if len(names) == limit {
			break
		}
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// value is the member as a string, nil for null, or what is wrong with it.
func (m member) value(nullable bool) (value *string, problem string) {
	if string(m.raw) == "null" {
		if !nullable {
			return nil, "must not be null"
		}
		return nil, ""
	}
	var text string
	if m.raw[0] != '"' || json.Unmarshal(m.raw, &text) != nil {
		return nil, "must be a string"
	}
	switch {
	case loneSurrogate(m.raw):
		return nil, "must be valid Unicode"
	case strings.ContainsRune(text, 0):
		// DynamoDB would keep it, and many a reader of the table would cut the text there.
		return nil, "must not contain NUL"
	}
	return &text, ""
}

// loneSurrogate says whether a JSON string has an escaped half of a surrogate pair without its other half. Decoding would put U+FFFD there.
func loneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++ // whatever is escaped, it is no backslash that begins another escape
		half, ok := codeUnit(raw[i:])
		if !ok {
			continue
		}
		i += 4
		if !utf16.IsSurrogate(half) {
			continue
		}
		if len(raw) < i+3 || raw[i+1] != '\\' {
			return true
		}
		other, ok := codeUnit(raw[i+2:])
		if !ok || utf16.DecodeRune(half, other) == '\uFFFD' {
			return true
		}
		i += 6
	}
	return false
}

// codeUnit is the UTF-16 code unit that "uXXXX" at the front of raw stands for.
func codeUnit(raw []byte) (rune, bool) {
	if len(raw) < 5 || raw[0] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[1:5]), 16, 16)
	return rune(n), err == nil
}
