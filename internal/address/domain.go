package address

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const (
	// maxDomain and maxLabel are in octets of the A-label form (RFC 1035, section 2.3.4, written without the root's dot).
	maxDomain = 253
	maxLabel  = 63
	// acePrefix begins an A-label.
	acePrefix = "xn--"
)

// canonicalDomain returns the A-label form of a domain whose ASCII letters are in lower case.
func canonicalDomain(domain string) (string, error) {
	// Punycode spends an octet or more on each code point, so a longer text has no A-label form that fits. Checked first to bound
	// the work on hostile input.
	if len(domain) > utf8.UTFMax*maxDomain {
		return "", invalid("domain longer than 253 octets")
	}
	labels := strings.Split(domain, ".")
	if len(labels) < 2 {
		return "", invalid("domain with a single label")
	}
	international := false
	for i, label := range labels {
		ascii, err := canonicalLabel(label)
		if err != nil {
			return "", err
		}
		labels[i] = ascii
		international = international || strings.HasPrefix(ascii, acePrefix)
	}
	if isNumber(labels[len(labels)-1]) {
		return "", invalid("domain that ends in a number")
	}
	domain = strings.Join(labels, ".")
	if len(domain) > maxDomain {
		return "", invalid("domain longer than 253 octets")
	}
	if international && !followsBidiRule(domain) {
		return "", invalid("domain that mixes directions of writing")
	}
	return domain, nil
}

// canonicalLabel returns the label as it stands in DNS. IDNA looks only at labels that need it: it refuses two hyphens in third and
// fourth place, which occur in host names in use.
func canonicalLabel(label string) (string, error) {
	if label == "" {
		return "", invalid("domain with an empty label")
	}
	if strings.HasPrefix(label, acePrefix) || !isASCII(label) {
		return internationalLabel(label)
	}
	if len(label) > maxLabel {
		return "", invalid("domain label longer than 63 octets")
	}
	if label[0] == '-' || label[len(label)-1] == '-' {
		return "", invalid("domain label that begins or ends with a hyphen")
	}
	for i := range len(label) {
		if c := label[i]; !isLetterOrDigit(c) && c != '-' {
			return "", invalid("domain with a character that is not allowed")
		}
	}
	return label, nil
}

// internationalLabel returns the A-label of a U-label or an A-label that is the exact image of the other form. The errors of idna
// quote the label and are therefore not wrapped.
func internationalLabel(label string) (string, error) {
	ascii, err := idna.Registration.ToASCII(label)
	if err != nil {
		return "", invalid("domain label that IDNA does not accept as it stands")
	}
	unicode, err := idna.Registration.ToUnicode(ascii)
	if err != nil || label != ascii && label != unicode {
		return "", invalid("domain label whose IDNA form does not round-trip")
	}
	return ascii, nil
}

// followsBidiRule checks what depends on the labels together: if one is written from right to left, each must follow the rule (RFC
// 5893, section 2). The profile decodes the A-labels and does no other check.
func followsBidiRule(domain string) bool {
	_, err := idna.New(idna.BidiRule()).ToUnicode(domain)
	return err == nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isNumber(label string) bool {
	return strings.Trim(label, "0123456789") == ""
}
