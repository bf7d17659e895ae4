package ratelimit

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

const (
	partSeparator = "#"
	emptyPart     = "%0" // no escaped part contains it

	hashMark = "sha256:"
	// maxStoredKey is the longest prefix and key, in bytes, that is stored as it is. With it the largest item of the package stays below 1
	// KB, which is one write capacity unit. DynamoDB's own limit for a partition key is 2048 bytes.
	maxStoredKey = 512
)

// Key composes a key from parts so that different lists of parts never give the same key, whatever the parts contain: Key("a", "b#c") and
// Key("a#b", "c") differ. Parts are joined by #; a # or % inside a part becomes %23 or %25, and an empty part %0. Use it for every key that
// contains text from outside, and do not mix composed keys with hand-made ones under one prefix.
func Key(parts ...string) string {
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = escapePart(part)
	}
	return strings.Join(escaped, partSeparator)
}

func escapePart(part string) string {
	if part == "" {
		return emptyPart
	}
	part = strings.ReplaceAll(part, "%", "%25")
	return strings.ReplaceAll(part, partSeparator, "%23")
}

// storedKey returns the text that stands for key in the table after a prefix of prefixLen bytes: key itself, or its hash if key is too
// long, is not valid UTF-8 (DynamoDB would be sent replacement characters, the same for different keys), or looks like a hash.
func storedKey(key string, prefixLen int) string {
	if prefixLen+len(key) <= maxStoredKey && utf8.ValidString(key) && !strings.HasPrefix(key, hashMark) {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	return hashMark + hex.EncodeToString(sum[:])
}
