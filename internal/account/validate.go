package account

import "regexp"

var userIDSyntax = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// UserIDProblem says what is wrong with a user id, "" for nothing.
func UserIDProblem(id string) string {
	if userIDSyntax.MatchString(id) {
		return ""
	}
	return "must be 1 to 128 characters of A-Z, a-z, 0-9, period, underscore, colon and hyphen"
}
