package memdynamo

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Bounds of the number type ("Numbers", DynamoDB developer guide): up to 38 significant digits, and a magnitude from
// 1E-130 to 9.99…E+125.
const (
	maxDigits   = 38
	minExponent = -130
	maxExponent = 125
)

// decimal is a number taken apart: d.ddd… × 10^exponent. Zero has no digits; others neither start nor end with a 0 digit.
type decimal struct {
	negative bool
	exponent int
	digits   string
}

// parseNumber reads a number as a client writes it.
func parseNumber(text string) (decimal, error) {
	mantissa, exponent, ok := splitNumber(text)
	if !ok {
		return decimal{}, invalid("The parameter cannot be converted to a numeric value: %s", text)
	}
	negative := strings.HasPrefix(mantissa, "-")
	mantissa = strings.TrimLeft(mantissa, "+-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent += len(digits) - 1 - len(fraction)
	digits = strings.TrimRight(digits, "0")
	switch {
	case digits == "":
		return decimal{}, nil
	case len(digits) > maxDigits:
		return decimal{}, invalid("Attempting to store more than 38 significant digits in a Number")
	case exponent > maxExponent:
		return decimal{}, numberOverflow()
	case exponent < minExponent:
		return decimal{}, invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return decimal{negative: negative, exponent: exponent, digits: digits}, nil
}

func numberOverflow() *apiError {
	return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
}

// splitNumber checks the syntax [+-]digits[.digits][e[+-]digits] and returns the two parts.
func splitNumber(text string) (mantissa string, exponent int, ok bool) {
	mantissa = text
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		// Seven digits are far out of range already and still safe to add to a length.
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || len(text)-i > 8 {
			return "", 0, false
		}
		mantissa = text[:i]
	}
	digits, points := 0, 0
	for i := 0; i < len(mantissa); i++ {
		switch c := mantissa[i]; {
		case '0' <= c && c <= '9':
			digits++
		case c == '.':
			points++
		case (c == '-' || c == '+') && i == 0:
		default:
			return "", 0, false
		}
	}
	return mantissa, exponent, digits > 0 && points <= 1
}

// String is the canonical form, as the service answers it: no exponent, no zeros that do not count.
func (d decimal) String() string {
	var b strings.Builder
	if d.negative {
		b.WriteByte('-')
	}
	n := len(d.digits)
	switch {
	case n == 0:
		b.WriteByte('0')
	case d.exponent < 0:
		b.WriteString("0." + strings.Repeat("0", -d.exponent-1) + d.digits)
	case d.exponent < n-1:
		b.WriteString(d.digits[:d.exponent+1] + "." + d.digits[d.exponent+1:])
	default:
		b.WriteString(d.digits + strings.Repeat("0", d.exponent+1-n))
	}
	return b.String()
}

// canonicalNumber checks a number and returns its canonical form.
func canonicalNumber(text string) (string, error) {
	if plainInteger(text) {
		return text, nil
	}
	d, err := parseNumber(text)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// plainInteger spots what nearly every number is: a non-negative integer that is canonical as it stands.
func plainInteger(text string) bool {
	if text == "" || len(text) > maxDigits || text[0] == '0' && text != "0" {
		return false
	}
	for i := 0; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// canonicalDecimal takes a canonical number apart. Canonical text always parses.
func canonicalDecimal(text string) decimal {
	d, _ := parseNumber(text)
	return d
}

// sortable returns bytes that order as the numbers do: sign, then exponent, then digits, all inverted below zero.
func (d decimal) sortable() string {
	if d.digits == "" {
		return "1"
	}
	b := make([]byte, 0, len(d.digits)+3)
	b = append(b, byte(d.exponent-minExponent)) // 0…255
	b = append(b, d.digits...)
	if !d.negative {
		return "2" + string(b)
	}
	// The end mark makes the shorter of two negative numbers the larger one, as -0.1 is to -0.12.
	b = append(b, 0)
	for i := range b {
		b[i] = ^b[i]
	}
	return "0" + string(b)
}

func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	x, y := canonicalDecimal(a), canonicalDecimal(b)
	if x.sign() != y.sign() {
		return cmp.Compare(x.sign(), y.sign())
	}
	return x.sign() * cmp.Or(cmp.Compare(x.exponent, y.exponent), strings.Compare(x.digits, y.digits))
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

// addNumbers returns a + b, or a − b. A result that needs more than 38 digits is an error, as in the service: nothing is
// ever rounded.
func addNumbers(a, b string, subtract bool) (string, error) {
	var x, y, sum apd.Decimal
	if _, _, err := x.SetString(a); err != nil {
		return "", err
	}
	if _, _, err := y.SetString(b); err != nil {
		return "", err
	}
	if subtract {
		y.Neg(&y)
	}
	exact := apd.BaseContext.WithPrecision(maxDigits)
	exact.Traps |= apd.Inexact
	if _, err := exact.Add(&sum, &x, &y); err != nil {
		return "", numberOverflow()
	}
	return canonicalNumber(sum.Text('E'))
}
