package address

import (
	"errors"
	"fmt"
	"strings"
)

// maxAddress is the longest address in octets: a path of 256 (RFC 5321, section 4.5.3.1.3) less its angle brackets.
const maxAddress = 254

// ErrInvalid is wrapped by every error of this package. The text after it is the reason, one of a fixed set without anything of
// the address, so the error may be logged and shown.
var ErrInvalid = errors.New("invalid e-mail address")

// Rules says which addresses are one. The zero value takes addresses as the standards do and is the default. All accounts of a
// store need the same rules: addresses that were stored under others are not found.
type Rules struct {
	// Gmail folds what Gmail delivers to one mailbox: at gmail.com and googlemail.com the dots and the plus tag of the local part are
	// dropped, and googlemail.com becomes gmail.com. Other domains, Google's hosted ones included, are left alone. It keeps
	// one person from opening many accounts, and takes the tag away from people who sort their mail by it. Off by default.
	Gmail bool
}

// Canonical returns the canonical form of the address. It returns an error that wraps ErrInvalid if the input is not an address that
// the package accepts, or has nothing left of its local part under the Gmail rule.
func (r Rules) Canonical(input string) (string, error) {
	local, domain, found := strings.Cut(lower(strings.Trim(input, " \t")), "@")
	if !found {
		return "", invalid("at sign missing")
	}
	if err := checkLocal(local); err != nil {
		return "", err
	}
	domain, err := canonicalDomain(domain)
	if err != nil {
		return "", err
	}
	if len(local)+len("@")+len(domain) > maxAddress {
		return "", invalid("longer than 254 octets")
	}
	if r.Gmail {
		if local, domain = foldGmail(local, domain); local == "" {
			return "", invalid("local part is a tag only")
		}
	}
	return local + "@" + domain, nil
}

// foldGmail returns the mailbox to which Gmail delivers. The parts are canonical. The local part comes back empty if it had only a
// tag.
func foldGmail(local, domain string) (string, string) {
	if domain != "gmail.com" && domain != "googlemail.com" {
		return local, domain
	}
	local, _, _ = strings.Cut(local, "+")
	return strings.ReplaceAll(local, ".", ""), "gmail.com"
}

// lower lower-cases A–Z only. It goes by bytes: Unicode case mapping would fold letters from outside ASCII into it.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

func invalid(reason string) error {
	return fmt.Errorf("%w: %s", ErrInvalid, reason)
}
