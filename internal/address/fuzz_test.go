package address_test

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/net/idna"

	"github.com/usercore-go/usercore/internal/address"
)

// FuzzCanonical checks what every canonical form guarantees, under both rules.
func FuzzCanonical(f *testing.F) {
	for _, c := range sharedCases(f) {
		f.Add(c.Input, false)
	}
	for _, seed := range []string{
		"d.a+na.+x@GoogleMail.com",
		"+@gmail.com",
		"dana@straße.example",
		"dana@שלום.例え.テスト",
		"dana@r3---sn.XN--BCHER-KVA.example",
		"dana@xn--xn--bcher-kva-.\xff\xfe.com",
		strings.Repeat("l", 64) + "@" + strings.Repeat(strings.Repeat("d", 62)+".", 3) + "example",
	} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, input string, gmail bool) {
		rules := address.Rules{Gmail: gmail}
		got, err := rules.Canonical(input)
		upper, upperErr := rules.Canonical(asciiUpper(input))
		if upper != got || (err == nil) != (upperErr == nil) {
			t.Fatalf("case of ASCII letters matters: %q and %q (%v and %v)", got, upper, err, upperErr)
		}
		if err != nil {
			checkRefusal(t, got, err)
			return
		}
		checkCanonical(t, got)
		if again, err := rules.Canonical(got); err != nil || again != got {
			t.Fatalf("not a fixed point: %q gives %q, %v", got, again, err)
		}
		local, domain, _ := strings.Cut(got, "@")
		unicode, err := idna.Punycode.ToUnicode(domain)
		if err != nil {
			t.Fatalf("domain of %q does not decode: %v", got, err)
		}
		if again, err := rules.Canonical(local + "@" + unicode); err != nil || again != got {
			t.Fatalf("the domain in Unicode has another key: %q gives %q, %v", unicode, again, err)
		}
	})
}

func checkRefusal(t *testing.T, got string, err error) {
	t.Helper()
	if got != "" || !errors.Is(err, address.ErrInvalid) {
		t.Fatalf("refusal is not empty with ErrInvalid: %q, %v", got, err)
	}
	if strings.Contains(err.Error(), "@") {
		t.Fatalf("error text has an address: %v", err)
	}
}

func checkCanonical(t *testing.T, got string) {
	t.Helper()
	if len(got) > 254 || strings.Count(got, "@") != 1 {
		t.Fatalf("too long or not one at sign: %q", got)
	}
	for i := range len(got) {
		if c := got[i]; c <= ' ' || c >= 0x7f || 'A' <= c && c <= 'Z' {
			t.Fatalf("octet %#x in %q", c, got)
		}
	}
}

func asciiUpper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - ('a' - 'A')
		}
	}
	return string(b)
}
