package address_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/address"
)

// sharedCase is one line of testdata/addresses.json: an input and its right answer.
type sharedCase struct {
	Input     string `json:"input"`
	Canonical string `json:"canonical"`
	Error     bool   `json:"error"`
	Why       string `json:"why"`
}

func sharedCases(t testing.TB) []sharedCase {
	t.Helper()
	data, err := os.ReadFile("testdata/addresses.json")
	require.NoError(t, err)
	var cases []sharedCase
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	return cases
}

func TestSharedCases(t *testing.T) {
	t.Parallel()
	for _, c := range sharedCases(t) {
		t.Run(strings.ReplaceAll(c.Why, " ", "_"), func(t *testing.T) {
			t.Parallel()
			got, err := address.Rules{}.Canonical(c.Input)
			if c.Error {
				require.ErrorIs(t, err, address.ErrInvalid)
				require.Empty(t, got)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.Canonical, got)
		})
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	longest := addressOf(254)
	label63 := strings.Repeat("d", 63)
	for name, c := range map[string]struct{ in, want string }{
		"longest_address":                 {longest, longest},
		"longest_label":                   {"dana@" + label63 + ".com", "dana@" + label63 + ".com"},
		"all_atext":                       {"!#$%&'*+-/=?^_`{|}~@example.com", "!#$%&'*+-/=?^_`{|}~@example.com"},
		"blanks_at_both_ends":             {" \t dana@example.com\t ", "dana@example.com"},
		"two_hyphens_in_third_place":      {"dana@r3---sn.example.com", "dana@r3---sn.example.com"},
		"plain_label_beside_a_u_label":    {"dana@r3---sn.bücher.example", "dana@r3---sn.xn--bcher-kva.example"},
		"last_label_with_digit":           {"dana@example.c0m", "dana@example.c0m"},
		"upper_case_ascii_in_u_label":     {"dana@BüCHER.example", "dana@xn--bcher-kva.example"},
		"upper_case_a_label":              {"dana@XN--BCHER-KVA.EXAMPLE", "dana@xn--bcher-kva.example"},
		"sharp_s_is_not_ss":               {"dana@straße.example", "dana@xn--strae-oqa.example"},
		"unicode_top_level_label":         {"dana@例え.テスト", "dana@xn--r8jz45g.xn--zckzah"},
		"right_to_left_label":             {"dana@שלום.example", "dana@xn--9dbne9b.example"},
		"gmail_is_like_any_other_domain":  {"D.Ana+x@GoogleMail.com", "d.ana+x@googlemail.com"},
		"long_domain_short_in_a_label":    {"dana@" + strings.Repeat("例", 40) + ".com", "dana@xn--" + "fsq" + strings.Repeat("a", 39) + ".com"},
		"joiner_after_virama_is_in_place": {"dana@क्\u200dष.example", "dana@xn--11b2ezcw70k.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := address.Rules{}.Canonical(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"empty_local_part":                "@example.com",
		"trailing_dot_in_local_part":      "dana.@example.com",
		"line_break_at_the_end":           "dana@example.com\n",
		"carriage_return_at_the_start":    "\rdana@example.com",
		"delete_character":                "dana\x7f@example.com",
		"backslash_in_local_part":         `da\na@example.com`,
		"comma_in_local_part":             "dana,reyes@example.com",
		"at_sign_in_domain":               "dana@evil.example@example.com",
		"percent_in_domain":               "dana@exa%mple.com",
		"port":                            "dana@example.com:25",
		"only_dots_in_domain":             "dana@..",
		"leading_dot_in_domain":           "dana@.example.com",
		"label_ends_with_hyphen":          "dana@example-.com",
		"address_of_255_octets":           addressOf(255),
		"domain_of_254_octets":            "d@" + strings.Repeat(strings.Repeat("d", 62)+".", 4) + "ex",
		"domain_beyond_any_a_label":       "d@" + strings.Repeat("例え.", 1000) + "com",
		"u_label_over_63_octets_as_ascii": "dana@" + strings.Repeat("例", 60) + ".com",
		"upper_case_outside_ascii":        "dana@BÜCHER.example",
		"decomposed_u_label":              "dana@bu\u0308cher.example",
		"ideographic_full_stop":           "dana@example。com",
		"soft_hyphen_in_domain":           "dana@exam\u00adple.com",
		"zero_width_joiner_out_of_place":  "dana@exam\u200dple.com",
		"zero_width_space_in_domain":      "dana@exam\u200bple.com",
		"bidi_override_in_domain":         "dana@exam\u202eple.com",
		"kelvin_sign":                     "dana@\u212Aiwi.example",
		"combining_mark_first":            "dana@\u0308bu.example",
		"unassigned_code_point":           "dana@a\U000e0fff.example",
		"invalid_utf8_in_domain":          "dana@b\xffcher.example",
		"invalid_utf8_in_local_part":      "d\xffna@example.com",
		"a_label_of_ascii_only":           "dana@xn--abc-.example",
		"a_label_that_does_not_decode":    "dana@xn--999999999.example",
		"a_label_of_upper_case":           "dana@xn--bcher-2pa.example",
		"a_label_with_the_prefix_twice":   "dana@xn--xn---3ra.example",
		"a_label_prefix_on_a_u_label":     "dana@xn--bücher.example",
		"hyphens_in_third_place_u_label":  "dana@ab--ü.example",
		"mixed_directions_in_a_label":     "dana@שaלום.example",
		"no_number_after_right_to_left":   "dana@שלום.123a.example",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := address.Rules{}.Canonical(in)
			require.ErrorIs(t, err, address.ErrInvalid)
			require.Empty(t, got)
			require.NotContains(t, err.Error(), "@")
		})
	}
}

// addressOf returns an address of n octets, about 254, whose parts and labels are within their own limits.
func addressOf(n int) string {
	label := strings.Repeat("d", 62) + "."
	start, end := strings.Repeat("l", 64)+"@"+label+label, ".ex"
	return start + strings.Repeat("d", n-len(start)-len(end)) + end
}

func TestErrorNamesReasonWithoutAddress(t *testing.T) {
	t.Parallel()
	for in, reason := range map[string]string{
		"secret":                    "at sign missing",
		"sec ret@example.com":       "local part with a character that is not allowed",
		"secret@example..com":       "domain with an empty label",
		"secret@xn--secret-.com":    "domain label that IDNA does not accept as it stands",
		"secret@secret_secret.com":  "domain with a character that is not allowed",
		"secret@ＳECRET.example.com": "domain label that IDNA does not accept as it stands",
	} {
		_, err := address.Rules{}.Canonical(in)
		require.EqualError(t, err, "invalid e-mail address: "+reason)
	}
}

func TestGmailRules(t *testing.T) {
	t.Parallel()
	rules := address.Rules{Gmail: true}
	for name, c := range map[string]struct{ in, want string }{
		"dots_are_dropped":              {"D.a.n.a@gmail.com", "dana@gmail.com"},
		"tag_is_dropped":                {"dana+shop@gmail.com", "dana@gmail.com"},
		"dots_before_the_tag":           {"da.na.+a.b+c@gmail.com", "dana@gmail.com"},
		"googlemail_is_gmail":           {"da.na@GoogleMail.com", "dana@gmail.com"},
		"other_domains_keep_both":       {"d.ana+x@example.com", "d.ana+x@example.com"},
		"subdomain_is_another_domain":   {"d.ana+x@mail.gmail.com", "d.ana+x@mail.gmail.com"},
		"same_name_elsewhere":           {"d.ana+x@gmail.co.uk", "d.ana+x@gmail.co.uk"},
		"longest_input_before_the_fold": {"d+" + strings.Repeat("x", 62) + "@gmail.com", "d@gmail.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := rules.Canonical(c.in)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	for name, in := range map[string]string{
		"tag_only":             "+shop@gmail.com",
		"misplaced_dots":       "da..na@gmail.com",
		"too_long_without_tag": "d+" + strings.Repeat("x", 63) + "@gmail.com",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rules.Canonical(in)
			require.ErrorIs(t, err, address.ErrInvalid)
		})
	}
}
