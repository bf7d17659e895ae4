package emails_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/ratelimit"
	"github.com/usercore-go/usercore/userstore"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	t.Run("unverified_with_a_code_by_mail", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", " Work@Example.COM ")
		require.NoError(t, err)
		require.NoError(t, added.SendErr)
		require.Equal(t, 15*time.Minute, added.ExpiresIn)
		require.Equal(t, emails.Email{EmailID: added.EmailID, Email: "work@example.com", CreatedAt: w.Clock.Now()}, added.Email)
		sent := w.Mail.To("work@example.com")
		require.Len(t, sent, 1)
		require.Equal(t, "u1", sent[0].UserID)
		require.Equal(t, added.EmailID, sent[0].EmailID)
		got, err := w.Emails.Get(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		require.Equal(t, added.Email, got)
		require.Nil(t, w.Audit(t))
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		w.User(t, "u2")
		_, err := w.Emails.Add(t.Context(), "u2", "pending@example.com")
		require.NoError(t, err)
		for name, c := range map[string]struct {
			user, address string
			want          error
		}{
			"nobody":            {"u9", "x@example.com", userstore.ErrNotFound},
			"own":               {"u1", "u1@example.com", emails.ErrTaken},
			"somebody_elses":    {"u1", "u2@example.com", emails.ErrTaken},
			"pending_elsewhere": {"u1", "pending@example.com", emails.ErrTaken},
			"no_address":        {"u1", "nobody", userstore.ErrInvalid},
			"no_user_id":        {"", "x@example.com", userstore.ErrInvalid},
		} {
			_, err := w.Emails.Add(t.Context(), c.user, c.address)
			require.ErrorIs(t, err, c.want, name)
		}
		require.Nil(t, w.Audit(t))
	})
	t.Run("too_many", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		for _, address := range []string{"a@example.com", "b@example.com", "c@example.com", "d@example.com"} {
			_, err := w.Emails.Add(t.Context(), "u1", address)
			require.NoError(t, err)
		}
		_, err := w.Emails.Add(t.Context(), "u1", "u1@example.com")
		require.ErrorIs(t, err, emails.ErrTooMany, "before taken")
	})
	t.Run("a_failed_mail_leaves_the_address", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		w.Mail.Fail(errors.New("mail service down"))
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		require.ErrorIs(t, added.SendErr, emails.ErrSend)
		_, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.ErrorIs(t, err, emails.ErrSend)
		w.Mail.Fail(nil)
		_, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.NoError(t, err)
	})
	t.Run("takes_over_a_lapsed_address", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "squatter")
		w.User(t, "dana")
		_, err := w.Emails.Add(t.Context(), "squatter", "wanted@example.com")
		require.NoError(t, err)
		w.Clock.Advance(24*time.Hour - time.Second)
		_, err = w.Emails.Add(t.Context(), "dana", "wanted@example.com")
		require.ErrorIs(t, err, emails.ErrTaken)
		w.Clock.Advance(time.Second)
		_, err = w.Emails.Add(t.Context(), "squatter", "wanted@example.com")
		require.ErrorIs(t, err, emails.ErrTaken, "nobody takes over from themselves")
		_, err = w.Emails.Add(t.Context(), "dana", "wanted@example.com")
		require.NoError(t, err)
		left, err := w.Emails.List(t.Context(), "squatter")
		require.NoError(t, err)
		require.Len(t, left, 1)
		holders, err := w.Emails.Holders(t.Context(), "wanted@example.com")
		require.NoError(t, err)
		require.Len(t, holders, 1)
		require.Equal(t, "dana", holders[0].UserID)
		require.Nil(t, w.Audit(t))
	})
	t.Run("a_verified_address_never_lapses", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		w.User(t, "u2")
		w.Verified(t, "u1", "mine@example.com")
		w.Clock.Advance(10 * 365 * 24 * time.Hour)
		_, err := w.Emails.Add(t.Context(), "u2", "mine@example.com")
		require.ErrorIs(t, err, emails.ErrTaken)
	})
}

func TestSendCode(t *testing.T) {
	t.Parallel()
	t.Run("same_code_while_it_lives", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		w.Clock.Advance(10 * time.Minute)
		sent, err := w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		require.Equal(t, 5*time.Minute, sent.ExpiresIn)
		w.Clock.Advance(time.Second)
		sent, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		require.Equal(t, 15*time.Minute, sent.ExpiresIn)
		mails := w.Mail.To("work@example.com")
		require.Equal(t, mails[0].Code, mails[1].Code)
		require.NotEqual(t, mails[1].Code, mails[2].Code)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, mails[0].Code)
		require.ErrorIs(t, err, emails.ErrWrongCode, "the old code is void")
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, mails[2].Code)
		require.NoError(t, err)
	})
	t.Run("three_in_any_hour_whoever_asks", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		w.User(t, "u2")
		first, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		w.Clock.Advance(10 * time.Minute)
		require.NoError(t, w.Emails.Remove(t.Context(), "u1", first.EmailID))
		second, err := w.Emails.Add(t.Context(), "u2", "work@example.com")
		require.NoError(t, err)
		_, err = w.Emails.SendCode(t.Context(), "u2", second.EmailID)
		require.NoError(t, err)
		_, err = w.Emails.SendCode(t.Context(), "u2", second.EmailID)
		var limit *emails.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, 50*time.Minute, limit.Decision.RetryAfter)
		require.Equal(t, 3, limit.Decision.Limit)
		quota, err := w.Emails.SendQuota(t.Context(), "work@example.com")
		require.NoError(t, err)
		require.Zero(t, quota.Remaining)
		require.NoError(t, w.Emails.Remove(t.Context(), "u2", second.EmailID))
		_, err = w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.ErrorIs(t, err, emails.ErrLimited, "removing and adding does not reset it")
		w.Clock.Advance(limit.Decision.RetryAfter - time.Second)
		_, err = w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.ErrorIs(t, err, emails.ErrLimited)
		w.Clock.Advance(time.Second)
		_, err = w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
	})
	t.Run("limit_of_the_account", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t, suite.WithEmails(func(c *emails.Config) { c.SendsPerAccount = 2 }))
		w.User(t, "u1")
		for _, address := range []string{"a@example.com", "b@example.com"} {
			_, err := w.Emails.Add(t.Context(), "u1", address)
			require.NoError(t, err)
		}
		_, err := w.Emails.Add(t.Context(), "u1", "c@example.com")
		require.ErrorIs(t, err, emails.ErrLimited)
		quota, err := w.Emails.SendQuota(t.Context(), "c@example.com")
		require.NoError(t, err)
		require.Equal(t, 3, quota.Remaining, "a refused send charges nothing")
	})
	t.Run("both", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t, suite.WithEmails(func(c *emails.Config) { c.SendsPerAddress, c.SendsPerAccount = 1, 1 }))
		w.User(t, "u1")
		w.User(t, "u2")
		first, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		require.NoError(t, w.Emails.Remove(t.Context(), "u1", first.EmailID))
		w.Clock.Advance(30 * time.Minute)
		_, err = w.Emails.Add(t.Context(), "u2", "other@example.com")
		require.NoError(t, err)
		_, err = w.Emails.Add(t.Context(), "u2", "work@example.com")
		var limit *emails.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, time.Hour, limit.Decision.RetryAfter, "that of the account, which is spent longer than the address")
	})
	t.Run("own_table_for_limits", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t, suite.WithEmails(func(c *emails.Config) {
			c.Limits = ratelimit.Table{Name: c.Store.Table, KeyPrefix: "THROTTLE#"}
		}))
		w.User(t, "u1")
		_, err := w.Emails.Add(t.Context(), "u1", "a@example.com")
		require.NoError(t, err)
	})
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		user := w.User(t, "u1")
		_, err := w.Emails.SendCode(t.Context(), "u1", user.PrimaryEmailID)
		require.ErrorIs(t, err, emails.ErrAlreadyVerified)
		_, err = w.Emails.SendCode(t.Context(), "u1", "none")
		require.ErrorIs(t, err, emails.ErrNotFound)
		_, err = w.Emails.SendCode(t.Context(), "u9", "none")
		require.ErrorIs(t, err, userstore.ErrNotFound)
	})
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	t.Run("first_verified_becomes_primary", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com"})
		require.NoError(t, err)
		list, err := w.Emails.List(t.Context(), "u1")
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", list[0].EmailID, "000000")
		require.ErrorIs(t, err, emails.ErrNoCode)
		_, err = w.Emails.SendCode(t.Context(), "u1", list[0].EmailID)
		require.NoError(t, err)
		email, err := w.Emails.Confirm(t.Context(), "u1", list[0].EmailID, w.Mail.Code(t, "u1@example.com"))
		require.NoError(t, err)
		require.True(t, email.IsPrimary)
		require.Equal(t, w.Clock.Now(), email.VerifiedAt)
		user, list, err := w.Emails.Profile(t.Context(), "u1")
		require.NoError(t, err)
		require.Equal(t, "u1@example.com", user.Email)
		require.EqualValues(t, 2, user.Version)
		require.Equal(t, []emails.Email{email}, list)
		again, err := w.Emails.Confirm(t.Context(), "u1", email.EmailID, "000000")
		require.NoError(t, err, "verified already is a success")
		require.Equal(t, email, again)
		require.Nil(t, w.Audit(t))
	})
	t.Run("attempts_are_counted", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, "12345")
		require.ErrorIs(t, err, userstore.ErrInvalid, "not counted")
		for left := 4; left >= 0; left-- {
			_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Wrong("work@example.com"))
			var wrong *emails.WrongCodeError
			require.ErrorAs(t, err, &wrong)
			require.Equal(t, left, wrong.AttemptsLeft)
		}
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		var spent *emails.TooManyAttemptsError
		require.ErrorAs(t, err, &spent, "the right code comes too late")
		require.Equal(t, 15*time.Minute, spent.RetryAfter)
		_, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.NoError(t, err, "a fresh code has attempts of its own")
	})
	t.Run("budget_survives_codes_and_rows", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t, suite.WithEmails(func(c *emails.Config) { c.SendsPerAddress = 10 }))
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		wrong := 0
		for range 3 {
			for range 5 {
				_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Wrong("work@example.com"))
				require.ErrorIs(t, err, emails.ErrWrongCode)
				wrong++
			}
			require.NoError(t, w.Emails.Remove(t.Context(), "u1", added.EmailID))
			added, err = w.Emails.Add(t.Context(), "u1", "work@example.com")
			require.NoError(t, err)
		}
		require.Equal(t, 15, wrong)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		var spent *emails.TooManyAttemptsError
		require.ErrorAs(t, err, &spent)
		require.Equal(t, time.Hour, spent.RetryAfter)
		w.Clock.Advance(time.Hour)
		_, err = w.Emails.SendCode(t.Context(), "u1", added.EmailID)
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.NoError(t, err)
	})
	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		w.Clock.Advance(15*time.Minute - time.Millisecond)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Wrong("work@example.com"))
		require.ErrorIs(t, err, emails.ErrWrongCode, "valid to its last second")
		w.Clock.Advance(time.Millisecond)
		_, err = w.Emails.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.ErrorIs(t, err, emails.ErrCodeExpired)
	})
	t.Run("code_of_another_row", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		first, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		old := w.Mail.Code(t, "work@example.com")
		require.NoError(t, w.Emails.Remove(t.Context(), "u1", first.EmailID))
		_, err = w.Emails.Confirm(t.Context(), "u1", first.EmailID, old)
		require.ErrorIs(t, err, emails.ErrNotFound)
		again, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		_, err = w.Emails.Confirm(t.Context(), "u1", again.EmailID, old)
		require.ErrorIs(t, err, emails.ErrWrongCode)
	})
	t.Run("secrets_rotate", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "work@example.com")
		require.NoError(t, err)
		next := emails.Secret{ID: "k2", Key: []byte("another secret of 32 bytes or so")}
		rotated, err := emails.New(w.Client, w.Mail, append([]emails.Secret{next}, suite.Secrets()...), emails.Config{Store: w.Config})
		require.NoError(t, err)
		dropped, err := emails.New(w.Client, w.Mail, []emails.Secret{next}, emails.Config{Store: w.Config})
		require.NoError(t, err)
		_, err = dropped.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.ErrorIs(t, err, emails.ErrCodeExpired)
		_, err = rotated.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "work@example.com"))
		require.NoError(t, err)
	})
}

func TestSetPrimaryAndRemove(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	user := w.User(t, "u1")
	second := w.Verified(t, "u1", "second@example.com")
	third, err := w.Emails.Add(t.Context(), "u1", "third@example.com")
	require.NoError(t, err)

	require.ErrorIs(t, w.Emails.Remove(t.Context(), "u1", user.PrimaryEmailID), emails.ErrPrimary)
	_, err = w.Emails.SetPrimary(t.Context(), "u1", third.EmailID)
	require.ErrorIs(t, err, emails.ErrNotVerified)
	_, err = w.Emails.SetPrimary(t.Context(), "u1", "none")
	require.ErrorIs(t, err, emails.ErrNotFound)
	primary, err := w.Emails.SetPrimary(t.Context(), "u1", second.EmailID)
	require.NoError(t, err)
	require.True(t, primary.IsPrimary)
	same, err := w.Emails.SetPrimary(t.Context(), "u1", second.EmailID)
	require.NoError(t, err)
	require.Equal(t, primary, same)

	after, list, err := w.Emails.Profile(t.Context(), "u1")
	require.NoError(t, err)
	require.Equal(t, "second@example.com", after.Email)
	require.EqualValues(t, 2, after.Version)
	require.Len(t, list, 3)

	require.NoError(t, w.Emails.Remove(t.Context(), "u1", third.EmailID))
	require.ErrorIs(t, w.Emails.Remove(t.Context(), "u1", third.EmailID), emails.ErrNotFound)
	require.NoError(t, w.Emails.Remove(t.Context(), "u1", user.PrimaryEmailID))
	require.ErrorIs(t, w.Emails.Remove(t.Context(), "u1", second.EmailID), emails.ErrLast)
	w.User(t, "u2")
	w.Verified(t, "u2", "u1@example.com") // free at once
	require.Nil(t, w.Audit(t))
}

func TestNewNamesTheBadField(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	store := w.Config
	for name, cfg := range map[string]emails.Config{
		"Config.Table":           {},
		"Config.CodeLife":        {Store: store, CodeLife: 5 * time.Minute},
		"Config.Attempts":        {Store: store, Attempts: -1},
		"Config.AttemptsPerHour": {Store: store, AttemptsPerHour: -1},
		"Config.AttemptsPerDay":  {Store: store, AttemptsPerDay: -1},
		"Config.SendsPerAddress": {Store: store, SendsPerAddress: 65},
		"Config.SendsPerAccount": {Store: store, SendsPerAccount: 65},
	} {
		_, err := emails.New(w.Client, w.Mail, suite.Secrets(), cfg)
		require.ErrorContains(t, err, name)
	}
	for name, secrets := range map[string][]emails.Secret{
		"secrets is empty": nil,
		"secrets[0].ID":    {{Key: make([]byte, 32)}},
		"secrets[0].Key":   {{ID: "k", Key: make([]byte, 31)}},
		"secrets[1].ID":    {{ID: "k", Key: make([]byte, 32)}, {ID: "k", Key: make([]byte, 32)}},
	} {
		_, err := emails.New(w.Client, w.Mail, secrets, emails.Config{Store: store})
		require.ErrorContains(t, err, name)
	}
	_, err := emails.New(nil, w.Mail, suite.Secrets(), emails.Config{Store: store})
	require.ErrorContains(t, err, "client")
	_, err = emails.New(w.Client, nil, suite.Secrets(), emails.Config{Store: store})
	require.ErrorContains(t, err, "sender")
}

func TestNewCopiesTheKeys(t *testing.T) {
	t.Parallel()
	secrets := suite.Secrets()
	w := suite.New(t)
	store, err := emails.New(w.Client, w.Mail, secrets, emails.Config{Store: w.Config})
	require.NoError(t, err)
	w.User(t, "u1")
	added, err := store.Add(t.Context(), "u1", "second@example.com")
	require.NoError(t, err)
	_, err = store.SendCode(t.Context(), "u1", added.EmailID)
	require.NoError(t, err)
	clear(secrets[0].Key)
	_, err = store.Confirm(t.Context(), "u1", added.EmailID, w.Mail.Code(t, "second@example.com"))
	require.NoError(t, err)
}

func TestNilOption(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	require.Zero(t, w.Requests(func() {
		_, err := w.Emails.Add(t.Context(), "u1", "u1@example.com", nil)
		require.ErrorIs(t, err, userstore.ErrInvalid)
		_, err = w.Emails.SendCode(t.Context(), "u1", "e1", nil)
		require.ErrorIs(t, err, userstore.ErrInvalid)
		_, err = w.Emails.Confirm(t.Context(), "u1", "e1", "123456", nil)
		require.ErrorIs(t, err, userstore.ErrInvalid)
	}))
}

func TestSendQuotaSaysThatAReadWasNotAnswered(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.Emails.SendQuota(ctx, "a@example.com")
	require.ErrorIs(t, err, userstore.ErrUnavailable)

	w = suite.New(t, suite.WithEmails(func(c *emails.Config) { c.Limits = ratelimit.Table{Name: "missing"} }))
	_, err = w.Emails.SendQuota(t.Context(), "a@example.com")
	var missing *types.ResourceNotFoundException
	require.ErrorAs(t, err, &missing, "the decision of a limiter that fails closed is no quota")
	require.NotErrorIs(t, err, userstore.ErrUnavailable)
}
