package emails

import (
	"errors"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/ratelimit"
)

// The errors of the package, for errors.Is. The ones of the account are userstore's: userstore.ErrNotFound,
// userstore.ErrNotActive, userstore.ErrInvalid, userstore.ErrContention and so on.
var (
	// ErrNotFound says that the account has no address with that id.
	ErrNotFound = errors.New("no such address")
	// ErrTaken says that the address is not available: it belongs to an account, this one perhaps, or its holder may
	// still verify it. It is the same value as userstore.ErrTaken.
	ErrTaken = account.ErrTaken
	// ErrTooMany says that the account has as many addresses as it may have.
	ErrTooMany = errors.New("the account has too many addresses")
	// ErrLimited says that no more codes are sent for now; the error is a *LimitError.
	ErrLimited = errors.New("too many verification codes were asked for")
	// ErrAlreadyVerified says that the address needs no code.
	ErrAlreadyVerified = errors.New("the address is verified already")
	// ErrNotVerified says that the address cannot become primary before it is verified.
	ErrNotVerified = errors.New("the address is not verified")
	// ErrNoCode says that no code is waiting: none was sent, or it was used.
	ErrNoCode = errors.New("no verification code is waiting")
	// ErrCodeExpired says that the code is too old.
	ErrCodeExpired = errors.New("the verification code has expired")
	// ErrWrongCode says that the code is not the one that was sent; the error is a *WrongCodeError.
	ErrWrongCode = errors.New("the verification code is wrong")
	// ErrTooManyAttempts says that no code is compared for now; the error is a *TooManyAttemptsError.
	ErrTooManyAttempts = errors.New("too many verification attempts")
	// ErrLast says that an account keeps at least one address.
	ErrLast = errors.New("the last address cannot be removed")
	// ErrPrimary says that the primary address cannot be removed.
	ErrPrimary = errors.New("the primary address cannot be removed")
	// ErrSend says that the Sender failed; the code is stored and can be sent again.
	ErrSend = errors.New("the verification code was not sent")
)

// LimitError tells of the limit on sending codes that was reached, and when another code can be asked for: of the limit of the address or
// that of the account, and with both reached, of the one that takes longer to admit a code again.
type LimitError struct{ Decision ratelimit.Decision }

func (e *LimitError) Error() string {
	return fmt.Sprintf("%v: retry after %v", ErrLimited, e.Decision.RetryAfter)
}

// Unwrap makes errors.Is(err, ErrLimited) true.
func (e *LimitError) Unwrap() error { return ErrLimited }

// WrongCodeError says how often the code may still be tried.
type WrongCodeError struct {
	// AttemptsLeft is 0 when the next attempt is refused, whatever it is.
	AttemptsLeft int
	// Limit is how many attempts the code had in all.
	Limit int
	// ExpiresAt is when the code ends.
	ExpiresAt time.Time
}

func (e *WrongCodeError) Error() string {
	return fmt.Sprintf("%v: %d attempts left", ErrWrongCode, e.AttemptsLeft)
}

// Unwrap makes errors.Is(err, ErrWrongCode) true.
func (e *WrongCodeError) Unwrap() error { return ErrWrongCode }

// TooManyAttemptsError says when an attempt can be made again.
type TooManyAttemptsError struct {
	// RetryAfter is the time until the code or the budget of attempts ends, whichever holds the address up. A fresh
	// code can be asked for earlier, when only the attempts of the code are spent.
	RetryAfter time.Duration
	// Limit is how many attempts a code has.
	Limit int
}

func (e *TooManyAttemptsError) Error() string {
	return fmt.Sprintf("%v: retry after %v", ErrTooManyAttempts, e.RetryAfter)
}

// Unwrap makes errors.Is(err, ErrTooManyAttempts) true.
func (e *TooManyAttemptsError) Unwrap() error { return ErrTooManyAttempts }

// wrap adds the operation to an error, once.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("emails: %s: %w", operation, err)
}
