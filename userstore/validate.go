package userstore

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/usercore-go/usercore/internal/account"
)

const (
	maxName        = 100     // characters, after trimming
	maxNameInput   = 4 << 10 // bytes; more is not even looked at
	maxMarksInARow = 8
	maxUsername    = 128
	maxReason      = 500
)

var phoneSyntax = regexp.MustCompile(`^\+[1-9]\d{1,14}$`)

// name is a first or last name in the form that is stored (trimmed, NFC), or what is wrong with it.
func name(input string) (stored, problem string) {
	if len(input) > maxNameInput {
		return "", "must be at most 100 characters"
	}
	if !utf8.ValidString(input) {
		return "", "must be valid UTF-8"
	}
	s := norm.NFC.String(strings.Trim(input, " "))
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		return "", "must not be empty"
	case n > maxName:
		return "", "must be at most 100 characters"
	}
	letter := false
	marks := 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r):
			letter = letter || visible(r)
			marks = 0
		case unicode.IsMark(r):
			if marks++; marks > maxMarksInARow {
				return "", "must not have more than 8 marks in a row"
			}
		case r == ' ' || r == '-' || r == '\'' || r == '’' || r == '.':
			marks = 0
		default:
			return "", "may have letters, marks, spaces, hyphens, apostrophes and periods"
		}
	}
	if !letter {
		return "", "must have a letter"
	}
	return s, ""
}

// visible is false for the letters that show nothing: the fillers of Hangul.
func visible(r rune) bool {
	return r != '\u115f' && r != '\u1160' && r != '\u3164' && r != '\uffa0'
}

func checkUserID(id string) error {
	var bad ValidationError
	addUserID(&bad, id)
	return bad.Err()
}

func addUserID(bad *ValidationError, id string) {
	if problem := account.UserIDProblem(id); problem != "" {
		bad.Add("userId", problem)
	}
}

// checkedName is the stored form of a name; a bad one is noted.
func checkedName(bad *ValidationError, field, input string) *string {
	stored, problem := name(input)
	if problem != "" {
		bad.Add(field, problem)
	}
	return &stored
}

// optionalName is the stored form of a name that may be empty; a bad one is noted.
func optionalName(bad *ValidationError, field, input string) string {
	if input == "" {
		return ""
	}
	return *checkedName(bad, field, input)
}

func checkPhone(bad *ValidationError, input string) {
	if !phoneSyntax.MatchString(input) {
		bad.Add("phone", "must be in E.164 form, as in +14155550123")
	}
}

func checkUsername(bad *ValidationError, username string) {
	if utf8.RuneCountInString(username) > maxUsername || !printable(username) {
		bad.Add("username", "must be at most 128 printable characters")
	}
}

func checkReason(reason string) error {
	var bad ValidationError
	if utf8.RuneCountInString(reason) > maxReason || !printable(reason) {
		bad.Add("reason", "must be at most 500 printable characters")
	}
	return bad.Err()
}

// printable is true of text without control characters and of the empty one.
func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
