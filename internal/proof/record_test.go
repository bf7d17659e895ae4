package proof

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// record is one operation as its caller saw it: input, answer, and when.
type record struct {
	id     string // the request id that its events carry
	worker int
	kind   kind

	user     string
	address  string
	emailID  string // "" where the caller does not know it
	verified bool   // Create
	name     string // Create, Update
	expected int64  // Update: ExpectedVersion
	code     string // Confirm
	loaded   *userstore.User

	call, answered     int64 // order of calls and answers
	callTime, answerAt time.Time

	outcome outcome
	rows    []emails.Email // what List and Profile answered
	found   *userstore.User
	email   *emails.Email
	cutoff  time.Time // RevokeAllTokens, TokensValidAfter
	err     error

	events []outbox.Event // those that carry its id, of the account itself
}

func (r *record) String() string {
	return fmt.Sprintf("%d-%d worker %d: %s(%s %s %.8s %s v%d) = %s%s", r.call, r.answered, r.worker, r.kind, r.user, r.address,
		r.emailID, r.name, r.expected, r.outcome, r.answer())
}

// answer is what the caller got, without what differs from run to run.
func (r *record) answer() string {
	var b strings.Builder
	if u := r.found; u != nil {
		fmt.Fprintf(&b, " %s v%d %s %q primary=%s of %d", u.UserID, u.Version, u.Status, u.FirstName, u.Email, u.EmailCount)
	}
	if r.email != nil {
		fmt.Fprintf(&b, " %s verified=%t", r.email.Email, r.email.IsVerified)
	}
	for _, row := range r.rows {
		fmt.Fprintf(&b, " [%s %t]", row.Email, row.IsVerified)
	}
	return b.String()
}

// outcome is an error in one word.
type outcome string

const (
	done        outcome = "ok"
	unknown     outcome = "outcome unknown"
	contention  outcome = "contention"
	unavailable outcome = "unavailable" // of a read, so nothing was changed

	noUser     outcome = "no such user"
	exists     outcome = "exists"
	taken      outcome = "taken"
	notActive  outcome = "not active"
	status     outcome = "status"
	version    outcome = "version"
	noAddress  outcome = "no such address"
	tooMany    outcome = "too many addresses"
	limited    outcome = "limited"
	verified   outcome = "already verified"
	unverified outcome = "not verified"
	noCode     outcome = "no code"
	expired    outcome = "expired"
	wrongCode  outcome = "wrong code"
	attempts   outcome = "too many attempts"
	last       outcome = "last address"
	primary    outcome = "primary address"
	unexpected outcome = "unexpected"
)

// outcomeOf names the error of an operation. An error that no healthy table gives is unexpected, ErrCorrupt above all.
func outcomeOf(k kind, err error) outcome {
	switch {
	case err == nil:
		return done
	case k == allUsers && !errors.Is(err, userstore.ErrCorrupt):
		return unavailable // All hands on what the SDK says
	}
	for _, known := range []struct {
		err  error
		name outcome
	}{
		{userstore.ErrOutcomeUnknown, unknown}, {userstore.ErrContention, contention}, {userstore.ErrUnavailable, unavailable},
		{userstore.ErrNotFound, noUser}, {userstore.ErrExists, exists}, {userstore.ErrTaken, taken},
		{userstore.ErrNotActive, notActive}, {userstore.ErrStatus, status}, {userstore.ErrVersionConflict, version},
		{emails.ErrNotFound, noAddress}, {emails.ErrTooMany, tooMany}, {emails.ErrLimited, limited},
		{emails.ErrAlreadyVerified, verified}, {emails.ErrNotVerified, unverified}, {emails.ErrNoCode, noCode},
		{emails.ErrCodeExpired, expired}, {emails.ErrWrongCode, wrongCode}, {emails.ErrTooManyAttempts, attempts},
		{emails.ErrLast, last}, {emails.ErrPrimary, primary},
	} {
		if errors.Is(err, known.err) {
			return known.name
		}
	}
	return unexpected
}

// maybe says whether the operation is committed or not.
func (o outcome) maybe() bool { return o == unknown }
