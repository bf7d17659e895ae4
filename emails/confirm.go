package emails

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/userstore"
)

// Confirm verifies an address with the code that was sent to it. The attempt is counted before the code is compared,
// right ones too. The first verified address of an account becomes its primary. An address that is verified already
// is a success, whatever the code.
//
// It returns, in this order: a *userstore.ValidationError for what is not six digits (not counted),
// userstore.ErrNotFound, userstore.ErrNotActive, ErrNotFound, ErrNoCode, ErrCodeExpired, a *TooManyAttemptsError, a
// *WrongCodeError. A wrong code takes two requests, a right one three, a verified address one.
func (s *Store) Confirm(ctx context.Context, userID, emailID, code string, options ...userstore.Option) (email Email, err error) {
	defer s.kernel.Begin(&ctx, "emails.confirm", userID).End(&err)
	email, err = s.confirm(ctx, userID, emailID, code, account.Gather(options))
	return email, wrap("confirm", err)
}

func (s *Store) confirm(ctx context.Context, userID, emailID, digits string, options account.Options) (Email, error) {
	if err := checkUserID(userID); err != nil {
		return Email{}, err
	}
	if !isCode(digits) {
		return Email{}, invalid("code", "must be six digits")
	}
	if err := options.Check(ctx, s.kernel.Table, userID); err != nil {
		return Email{}, err
	}
	var wait dynamo.Backoff
	for {
		acc, err := s.kernel.Load(ctx, userID, table.FromBudgets)
		if err != nil {
			return Email{}, err
		}
		now := s.kernel.Now()
		try, err := decideConfirm(acc, emailID, s.codes, now)
		if err != nil || try.done {
			return newEmail(try.row, acc.Profile), err
		}
		err = dynamo.Commit(ctx, s.kernel.Client, s.countAttempt(try, now)...)
		if err == nil {
			if subtle.ConstantTimeCompare([]byte(digits), []byte(s.digits(try.code))) == 0 {
				return Email{}, try.wrong(s.codes, now)
			}
			var email Email
			if email, err = s.verify(ctx, acc, try, options); err == nil || !errors.Is(err, errReplaced) {
				return email, err
			}
		}
		if !errors.Is(err, dynamo.ErrStale) && !errors.Is(err, errReplaced) {
			return Email{}, err
		}
		telemetry.From(ctx).Stale()
		if err := wait.Pause(ctx, err); err != nil {
			return Email{}, err
		}
	}
}

// attempt is one comparison that the rules allow, or done when the address is verified already.
type attempt struct {
	row    table.Email
	code   table.Code
	budget table.Budget
	done   bool
}

// decideConfirm is the rule of Confirm, up to the comparison.
func decideConfirm(acc account.Account, emailID string, rules codeRules, now time.Time) (attempt, error) {
	if acc.Profile.Status != table.Active {
		return attempt{}, account.ErrNotActive
	}
	row, ok := acc.Email(emailID)
	if !ok {
		return attempt{}, ErrNotFound
	}
	if row.IsVerified {
		return attempt{row: row, done: true}, nil
	}
	code, ok := acc.Codes[emailID]
	if !ok {
		return attempt{}, ErrNoCode
	}
	if code.Expired(now) || !rules.knows(code.KeyID) {
		return attempt{}, ErrCodeExpired
	}
	try := attempt{row: row, code: code, budget: table.BudgetFor(acc.Budgets, row.Email)}
	if wait := try.refused(rules, now); wait > 0 {
		return attempt{}, &TooManyAttemptsError{RetryAfter: wait, Limit: int(code.MaxAttempts)}
	}
	return try, nil
}

// refused is how long no attempt is allowed: until all that is spent has ended; 0 when nothing is.
func (a attempt) refused(rules codeRules, now time.Time) time.Duration {
	budget := a.budget.At(now)
	var wait time.Duration
	if a.code.Attempts >= a.code.MaxAttempts {
		wait = a.code.ExpiresAt.Sub(now)
	}
	if budget.HourCount >= rules.attemptsHour {
		wait = max(wait, budget.HourEnds().Sub(now))
	}
	if budget.DayCount >= rules.attemptsDay {
		wait = max(wait, budget.DayEnds().Sub(now))
	}
	return wait
}

// countAttempt charges the attempt to the code and to the budget, before anything is compared.
func (s *Store) countAttempt(a attempt, now time.Time) []dynamo.Part {
	userID, name := a.row.UserID, s.kernel.Table
	return []dynamo.Part{
		dynamo.Update(name, table.CodeKey(userID, a.row.EmailID), table.OneMoreAttempt()).
			If(table.CodeOpen(a.code.CodeID, now)), // else read again
		dynamo.Put(name, a.budget.Charged(now).Item(userID, a.row.Email)).
			If(table.BudgetIs(a.budget)), // else read again
	}
}

// wrong is the error of a counted attempt whose code is not the right one.
func (a attempt) wrong(rules codeRules, now time.Time) error {
	budget := a.budget.Charged(now)
	left := min(a.code.MaxAttempts-a.code.Attempts-1, rules.attemptsHour-budget.HourCount, rules.attemptsDay-budget.DayCount)
	return &WrongCodeError{AttemptsLeft: int(max(left, 0)), Limit: int(a.code.MaxAttempts), ExpiresAt: a.code.ExpiresAt}
}
