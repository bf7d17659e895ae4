package httpapi

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

var errIfMatch = errors.New("the If-Match header is malformed")

// etag is the entity tag of a user: its version.
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// noVersion is a version that no account reaches.
const noVersion = math.MaxInt64

// precondition is an If-Match header (RFC 9110, section 13.1.1). The nil one is that of a request without it.
type precondition struct {
	// any is "*": the user is there, whatever its version.
	any bool
	// tags are as they were sent, with quotes and W/, so a weak one is never that of a version.
	tags []string
}

// expected is the version that an update must find, given the one that was just read: 0 for any. Without a header it is the one that was
// read, so of two updates at once one loses; with tags that name other versions, one that is never found.
func (p *precondition) expected(read int64) int64 {
	switch {
	case p == nil || slices.Contains(p.tags, etag(read)):
		return read
	case p.any:
		return 0
	}
	return noVersion
}

// parseIfMatch reads the values of the header, which form one list. It returns errIfMatch when the header is there without a tag, or is
// not a list of entity tags.
func parseIfMatch(values []string) (*precondition, error) {
	if len(values) == 0 {
		return nil, nil
	}
	list := strings.Trim(strings.Join(values, ","), " \t")
	if list == "*" {
		return &precondition{any: true}, nil
	}
	p := &precondition{}
	for {
		// A recipient ignores empty elements of a list (RFC 9110, section 5.6.1.2).
		if list = strings.TrimLeft(list, " \t,"); list == "" {
			break
		}
		tag, rest, ok := cutTag(list)
		if !ok {
			return nil, errIfMatch
		}
		p.tags = append(p.tags, tag)
		list = rest
	}
	if len(p.tags) == 0 {
		return nil, errIfMatch
	}
	return p, nil
}

// cutTag cuts the entity tag off the front of a list, and what may stand between it and the next comma.
func cutTag(list string) (tag, rest string, ok bool) {
	start := 0
	if strings.HasPrefix(list, "W/") {
		start = 2
	}
	if !strings.HasPrefix(list[start:], `"`) {
		return "", "", false
	}
	length := strings.IndexByte(list[start+1:], '"')
	if length < 0 {
		return "", "", false
	}
	end := start + 1 + length + 1
	if strings.ContainsFunc(list[start+1:end-1], notTagCharacter) {
		return "", "", false
	}
	rest = strings.TrimLeft(list[end:], " \t")
	return list[:end], rest, rest == "" || rest[0] == ','
}

// notTagCharacter is true of what an opaque tag cannot hold: blanks and control characters.
func notTagCharacter(r rune) bool { return r <= ' ' || r == 0x7f }
