package address

import "strings"

// maxLocal is the longest local part in octets (RFC 5321, section 4.5.3.1.1).
const maxLocal = 64

// checkLocal returns an error unless the local part is a lower-case dot-atom (RFC 5322, section 3.2.3).
func checkLocal(local string) error {
	if len(local) > maxLocal {
		return invalid("local part longer than 64 octets")
	}
	for word := range strings.SplitSeq(local, ".") {
		if word == "" {
			return invalid("local part empty or with a misplaced dot")
		}
		for i := range len(word) {
			if !isAtext(word[i]) {
				return invalid("local part with a character that is not allowed")
			}
		}
	}
	return nil
}

// isAtext reports whether c may stand in an unquoted local part (RFC 5322, atext), upper case excepted.
func isAtext(c byte) bool {
	return isLetterOrDigit(c) || strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) >= 0
}

func isLetterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}
