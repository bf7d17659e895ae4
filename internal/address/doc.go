// Package address turns an e-mail address as a person types it into the one form under which it is stored and claimed.
//
// Two inputs with the same canonical form are one address, and no others are. The package is pure: it does no I/O, reads no clock
// and keeps no state, so every function may be called concurrently.
//
//	var rules address.Rules
//	email, err := rules.Canonical(" Dana.Reyes@Example.COM ")
//	// email is "dana.reyes@example.com"
//	if errors.Is(err, address.ErrInvalid) {
//		// answer 400: err says why and does not repeat the address
//	}
//
// # What is accepted
//
//   - Spaces and tabs at both ends are dropped. No other blank, line breaks included, is.
//   - A–Z become a–z, in the local part too. No other letter is folded: the dotless ı is not an i.
//   - The local part is ASCII, 1 to 64 octets, words of letters, digits and !#$%&'*+-/=?^_`{|}~ separated by single dots.
//     Dots and plus tags are kept unless [Rules] says otherwise.
//   - The domain has two labels or more, each 1 to 63 octets of letters, digits and inner hyphens; the last is not a number;
//     no trailing dot; at most 253 octets.
//   - The whole is at most 254 octets, the longest path that SMTP carries (RFC 5321, section 4.5.3.1.3, less the angle brackets).
//   - Display names, comments, quoted local parts and address literals are refused.
//
// # Unicode domains
//
// A domain label may be in Unicode and is keyed by its A-label: bücher.example and xn--bcher-kva.example are one domain. The label is
// taken only when it is valid as it stands under UTS #46 (which lets symbols pass). Where IDNA would first map it (upper case other than
// A–Z, full width, compatibility forms, text that is not in NFC) it is refused, because what such a mapping gives depends on the IDNA
// edition, and a key must not. An A-label is taken only when it decodes to a label from which the same A-label is made. A domain that
// has a right-to-left label follows the Bidi rule of RFC 5893 as a whole. The tables are those of golang.org/x/net/idna: a newer one
// accepts scripts that an older one refuses. Look-alikes are different domains and stay different addresses.
//
// # Guarantees
//
// A canonical form is lower-case ASCII without blanks and control characters, has exactly one at sign, is at most 254 octets long, and
// is a fixed point: its own canonical form under the same rules is itself. An error wraps [ErrInvalid], and its text is one of
// a fixed set of reasons: nothing of the input is in it.
package address
