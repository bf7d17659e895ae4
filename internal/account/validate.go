package account

import "regexp"

var userIDSyntax = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// CheckUserID returns a *ValidationError unless id is 1 to 128 characters of [A-Za-z0-9._:-].
func CheckUserID(id string) error {
	var bad ValidationError
	bad.UserID(id)
	return bad.Err()
}

// UserID notes a user id that is not 1 to 128 characters of [A-Za-z0-9._:-].
func (e *ValidationError) UserID(id string) {
	if !userIDSyntax.MatchString(id) {
		e.Add("userId", "must be 1 to 128 characters of A-Z, a-z, 0-9, period, underscore, colon and hyphen")
	}
}
