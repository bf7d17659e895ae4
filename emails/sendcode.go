package emails

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/dynamo"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/internal/telemetry"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

// Sent is the result of SendCode.
type Sent struct {
	// Email is the address that the code went to, in canonical form; set with ErrSend too.
	Email string
	// ExpiresIn is how long the code is valid from now on.
	ExpiresIn time.Duration
}

// SendCode sends the verification code of an unverified address: the live one again while it has attempts and five
// minutes left, else a fresh one.
//
// It returns, in this order: userstore.ErrNotFound, userstore.ErrNotActive, ErrNotFound, ErrAlreadyVerified, a
// *LimitError, and ErrSend when the Sender failed. Two requests.
func (s *Store) SendCode(ctx context.Context, userID, emailID string, options ...userstore.Option) (_ Sent, err error) {
	defer s.kernel.Begin(&ctx, "emails.send_code", userID).End(&err)
	row, code, err := s.prepareCode(ctx, userID, emailID, account.Gather(options))
	if err != nil {
		return Sent{}, wrap("send code", err)
	}
	sent, err := s.send(ctx, row, code)
	return sent, wrap("send code", err)
}

// prepareCode charges the send limits and makes sure that the code to send is stored.
func (s *Store) prepareCode(ctx context.Context, userID, emailID string, options account.Options) (table.Email, table.Code, error) {
	if err := checkUserID(userID); err != nil {
		return table.Email{}, table.Code{}, err
	}
	if err := options.Check(ctx, s.kernel.Table, userID); err != nil {
		return table.Email{}, table.Code{}, err
	}
	var wait dynamo.Backoff
	for {
		acc, err := s.kernel.Load(ctx, userID, table.FromCodes)
		if err != nil {
			return table.Email{}, table.Code{}, err
		}
		now := s.kernel.Now()
		row, code, err := decideSend(acc, emailID, s.codes, now)
		if err != nil {
			return row, table.Code{}, err
		}
		var parts []dynamo.Part
		if code == nil {
			fresh := s.newCode(row, now)
			parts, code = s.freshCode(acc, row, fresh), &fresh
		}
		parts = append(parts, s.sendLimits(row, now)...)
		err = dynamo.Commit(ctx, s.kernel.Client, append(parts, options.Parts()...)...)
		if err == nil || !errors.Is(err, dynamo.ErrStale) {
			return row, *code, err
		}
		telemetry.From(ctx).Stale()
		if err := wait.Pause(ctx, err); err != nil {
			return row, *code, err
		}
	}
}

// decideSend is the rule of SendCode: the row, and the live code to send again or nil for a fresh one.
func decideSend(acc account.Account, emailID string, rules codeRules, now time.Time) (table.Email, *table.Code, error) {
	if acc.Profile.Status != table.Active {
		return table.Email{}, nil, account.ErrNotActive
	}
	row, ok := acc.Email(emailID)
	if !ok {
		return row, nil, ErrNotFound
	}
	if row.IsVerified {
		return row, nil, ErrAlreadyVerified
	}
	code, ok := acc.Codes[emailID]
	if !ok || code.Attempts >= code.MaxAttempts || code.ExpiresAt.Before(now.Add(resendMargin)) || !rules.knows(code.KeyID) {
		return row, nil, nil
	}
	return row, &code, nil
}

// freshCode stores a code in place of the one that was seen, while the account is active and the address unverified.
func (s *Store) freshCode(acc account.Account, row table.Email, fresh table.Code) []dynamo.Part {
	unseen := table.Absent()
	if seen, ok := acc.Codes[row.EmailID]; ok {
		unseen = table.CodeIs(seen.CodeID)
	}
	return []dynamo.Part{
		dynamo.Check(s.kernel.Table, table.ProfileKey(row.UserID)).If(table.IsActive()).
			Means(either(account.ErrNotFound, account.ErrNotActive)),
		dynamo.Check(s.kernel.Table, table.EmailKey(row.UserID, row.EmailID)).If(table.VerifiedIs(false)).
			Means(either(ErrNotFound, ErrAlreadyVerified)),
		dynamo.Put(s.kernel.Table, fresh.Item()).If(unseen), // else read again
	}
}

// sendLimits charge one send to the address and to the account. With both spent, the error is about the one that is spent longer.
func (s *Store) sendLimits(row table.Email, now time.Time) []dynamo.Part {
	var spent LimitError
	part := func(w *ratelimit.SlidingWindow, key string) dynamo.Part {
		action, denial := w.TransactItem(key, now)
		return dynamo.Raw(action).Means(func(old dynamo.Item) error {
			decision := denial(old)
			if decision.Remaining > 0 {
				return nil // another process's clock is ahead of ours: an action made anew is admitted
			}
			if decision.RetryAfter >= spent.Decision.RetryAfter {
				spent.Decision = decision
			}
			return &spent
		})
	}
	return []dynamo.Part{
		part(s.perAddress, addressKey(row.Email)),
		part(s.perAccount, ratelimit.Key("sends", row.UserID)),
	}
}

func addressKey(email string) string { return ratelimit.Key("verify", email) }

// SendQuota tells how many codes may still be sent to an address in this hour, without charging anything. It returns a
// *userstore.ValidationError, or userstore.ErrUnavailable when DynamoDB does not answer. One request, 1 RCU.
func (s *Store) SendQuota(ctx context.Context, address string) (ratelimit.Decision, error) {
	email, err := s.canonical(address)
	if err != nil {
		return ratelimit.Decision{}, wrap("send quota", err)
	}
	quota, err := s.perAddress.Peek(ctx, addressKey(email))
	if err == nil && quota.Degraded {
		err = quota.Cause
	}
	if err != nil {
		return ratelimit.Decision{}, wrap("send quota", dynamo.Unread(ctx, err))
	}
	return quota, nil
}

// send hands a stored code to the Sender.
func (s *Store) send(ctx context.Context, row table.Email, code table.Code) (Sent, error) {
	sent := Sent{Email: row.Email, ExpiresIn: code.ExpiresAt.Sub(s.kernel.Now().Truncate(time.Second))}
	err := s.sender.Send(ctx, Message{
		To: row.Email, Code: s.digits(code), ExpiresIn: sent.ExpiresIn, UserID: row.UserID, EmailID: row.EmailID,
	})
	if err != nil {
		return sent, fmt.Errorf("%w: %w", ErrSend, err)
	}
	return sent, nil
}

// either is the meaning of a condition that fails on an absent item or on one in another state.
func either(absent, otherwise error) func(dynamo.Item) error {
	return func(old dynamo.Item) error {
		if old == nil {
			return absent
		}
		return otherwise
	}
}
