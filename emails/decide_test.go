package emails

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/account"
	"github.com/usercore-go/usercore/internal/table"
)

var now = time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)

var rules = codeRules{
	life: 15 * time.Minute, attempts: 5, attemptsHour: 15, attemptsDay: 30,
	knows: func(keyID string) bool { return keyID == "k1" },
}

// world is an account with a primary address e1, a verified one e2 and an unverified one e3 whose code is live.
func world() account.Account {
	return account.Account{
		Profile: table.Profile{UserID: "u1", Status: table.Active, Email: "one@example.com", PrimaryEmailID: "e1", Version: 3, Seq: 7, EmailCount: 3},
		Emails: []table.Email{
			{EmailID: "e1", UserID: "u1", Email: "one@example.com", IsPrimary: true, IsVerified: true},
			{EmailID: "e2", UserID: "u1", Email: "two@example.com", IsVerified: true},
			{EmailID: "e3", UserID: "u1", Email: "three@example.com"},
		},
		Codes:   map[string]table.Code{"e3": liveCode()},
		Budgets: map[string]table.Budget{},
	}
}

func liveCode() table.Code {
	return table.Code{UserID: "u1", EmailID: "e3", CodeID: "c1", KeyID: "k1", MaxAttempts: 5, ExpiresAt: now.Add(10 * time.Minute)}
}

// with is the world after a change.
func with(change func(*account.Account)) account.Account {
	acc := world()
	change(&acc)
	return acc
}

func suspended(a *account.Account) { a.Profile.Status = table.Suspended }

func code(change func(*table.Code)) func(*account.Account) {
	return func(a *account.Account) {
		c := liveCode()
		change(&c)
		a.Codes["e3"] = c
	}
}

func budget(b table.Budget) func(*account.Account) {
	return func(a *account.Account) {
		a.Budgets[table.BudgetHash(b.Item("u1", "three@example.com"))] = b
	}
}

func TestAddDecision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile table.Profile
		want    error
	}{
		"active":              {table.Profile{Status: table.Active, EmailCount: 4}, nil},
		"full":                {table.Profile{Status: table.Active, EmailCount: 5}, ErrTooMany},
		"suspended":           {table.Profile{Status: table.Suspended, EmailCount: 1}, account.ErrNotActive},
		"status_before_count": {table.Profile{Status: table.Deleted, EmailCount: 5}, account.ErrNotActive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, decideAdd(c.profile, 5))
		})
	}
}

func TestSendDecision(t *testing.T) {
	t.Parallel()
	type want struct {
		err  error
		live bool
	}
	for name, c := range map[string]struct {
		acc     account.Account
		emailID string
		want    want
	}{
		"live_code":              {world(), "e3", want{live: true}},
		"five_minutes_left":      {with(code(func(c *table.Code) { c.ExpiresAt = now.Add(5 * time.Minute) })), "e3", want{live: true}},
		"less_than_five_minutes": {with(code(func(c *table.Code) { c.ExpiresAt = now.Add(5*time.Minute - time.Second) })), "e3", want{}},
		"attempts_spent":         {with(code(func(c *table.Code) { c.Attempts = 5 })), "e3", want{}},
		"secret_gone":            {with(code(func(c *table.Code) { c.KeyID = "old" })), "e3", want{}},
		"no_code":                {with(func(a *account.Account) { delete(a.Codes, "e3") }), "e3", want{}},
		"verified":               {world(), "e2", want{err: ErrAlreadyVerified}},
		"unknown_row":            {world(), "e9", want{err: ErrNotFound}},
		"status_before_row":      {with(suspended), "e9", want{err: account.ErrNotActive}},
		"status_before_verified": {with(suspended), "e2", want{err: account.ErrNotActive}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row, live, err := decideSend(c.acc, c.emailID, rules, now)
			require.Equal(t, c.want, want{err, live != nil})
			if err == nil {
				require.Equal(t, "three@example.com", row.Email)
			}
		})
	}
}

func TestConfirmDecision(t *testing.T) {
	t.Parallel()
	hour, day := now.Unix()/3600, now.Unix()/86400
	spentHour := table.Budget{Hour: hour, HourCount: 15, Day: day, DayCount: 15, Rev: 1}
	spentDay := table.Budget{Hour: hour, HourCount: 1, Day: day, DayCount: 30, Rev: 1}
	lastHour := table.Budget{Hour: hour - 1, HourCount: 15, Day: day, DayCount: 15, Rev: 1}
	tooMany := func(wait time.Duration) error { return &TooManyAttemptsError{RetryAfter: wait, Limit: 5} }
	for name, c := range map[string]struct {
		acc     account.Account
		emailID string
		done    bool
		err     error
	}{
		"allowed":                     {acc: world(), emailID: "e3"},
		"verified":                    {acc: world(), emailID: "e2", done: true},
		"status_before_verified":      {acc: with(suspended), emailID: "e2", err: account.ErrNotActive},
		"unknown_row":                 {acc: world(), emailID: "e9", err: ErrNotFound},
		"no_code":                     {acc: with(func(a *account.Account) { delete(a.Codes, "e3") }), emailID: "e3", err: ErrNoCode},
		"expired":                     {acc: with(code(func(c *table.Code) { c.ExpiresAt = now })), emailID: "e3", err: ErrCodeExpired},
		"secret_gone":                 {acc: with(code(func(c *table.Code) { c.KeyID = "old" })), emailID: "e3", err: ErrCodeExpired},
		"expired_before_attempts":     {acc: with(code(func(c *table.Code) { c.ExpiresAt, c.Attempts = now, 5 })), emailID: "e3", err: ErrCodeExpired},
		"last_attempt":                {acc: with(code(func(c *table.Code) { c.Attempts = 4 })), emailID: "e3"},
		"attempts_spent":              {acc: with(code(func(c *table.Code) { c.Attempts = 5 })), emailID: "e3", err: tooMany(10 * time.Minute)},
		"hour_spent":                  {acc: with(budget(spentHour)), emailID: "e3", err: tooMany(30 * time.Minute)},
		"day_spent":                   {acc: with(budget(spentDay)), emailID: "e3", err: tooMany(13*time.Hour + 30*time.Minute)},
		"last_hour_does_not_count":    {acc: with(budget(lastHour)), emailID: "e3"},
		"waits_for_all_that_is_spent": {acc: with(func(a *account.Account) { code(func(c *table.Code) { c.Attempts = 5 })(a); budget(spentHour)(a) }), emailID: "e3", err: tooMany(30 * time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			try, err := decideConfirm(c.acc, c.emailID, rules, now)
			require.Equal(t, c.err, err)
			require.Equal(t, c.done, try.done)
		})
	}
}

func TestVerifyDecision(t *testing.T) {
	t.Parallel()
	acc := world()
	t.Run("first_becomes_primary", func(t *testing.T) {
		t.Parallel()
		p := acc.Profile
		p.PrimaryEmailID, p.Email = "", ""
		change, err := decideVerify(p, acc.Emails[2], now)
		require.NoError(t, err)
		require.Equal(t, "e3", change.Profile.PrimaryEmailID)
		require.Equal(t, "three@example.com", change.Profile.Email)
		require.Equal(t, p.Version+1, change.Profile.Version)
		require.Equal(t, now, change.Profile.UpdatedAt)
		require.Len(t, change.Events, 2)
		require.Equal(t, map[string]any{"oldEmail": "", "newEmail": "three@example.com"}, change.Events[1].Data)
	})
	t.Run("another_changes_nothing_that_clients_see", func(t *testing.T) {
		t.Parallel()
		change, err := decideVerify(acc.Profile, acc.Emails[2], now)
		require.NoError(t, err)
		require.Equal(t, acc.Profile, change.Profile)
		require.Len(t, change.Events, 1)
	})
	t.Run("not_active", func(t *testing.T) {
		t.Parallel()
		_, err := decideVerify(with(suspended).Profile, acc.Emails[2], now)
		require.ErrorIs(t, err, account.ErrNotActive)
	})
}

func TestPrimaryDecision(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		acc     account.Account
		emailID string
		err     error
		same    bool
	}{
		"verified":                 {acc: world(), emailID: "e2"},
		"primary_already":          {acc: world(), emailID: "e1", same: true},
		"unverified":               {acc: world(), emailID: "e3", err: ErrNotVerified},
		"unknown_row":              {acc: world(), emailID: "e9", err: ErrNotFound},
		"status_before_row":        {acc: with(suspended), emailID: "e9", err: account.ErrNotActive},
		"status_before_same":       {acc: with(suspended), emailID: "e1", err: account.ErrNotActive},
		"status_before_unverified": {acc: with(suspended), emailID: "e3", err: account.ErrNotActive},
		"no_primary_is_corrupt":    {acc: with(func(a *account.Account) { a.Profile.PrimaryEmailID = "" }), emailID: "e2", err: account.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, change, err := decidePrimary(c.acc, c.emailID, now)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.err == nil && !c.same, change != nil)
			if change != nil {
				require.Equal(t, "e2", change.Profile.PrimaryEmailID)
				require.Equal(t, int64(4), change.Profile.Version)
			}
		})
	}
}

func TestRemoveDecision(t *testing.T) {
	t.Parallel()
	single := func(a *account.Account) { a.Emails, a.Profile.EmailCount = a.Emails[:1], 1 }
	for name, c := range map[string]struct {
		acc     account.Account
		emailID string
		err     error
	}{
		"verified":            {world(), "e2", nil},
		"unverified":          {world(), "e3", nil},
		"primary":             {world(), "e1", ErrPrimary},
		"last_before_primary": {with(single), "e1", ErrLast},
		"unknown_row":         {with(single), "e9", ErrNotFound},
		"status_first":        {with(suspended), "e9", account.ErrNotActive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decideRemove(c.acc, c.emailID)
			require.ErrorIs(t, err, c.err)
		})
	}
}

func TestWrongCodeSaysHowManyAreLeft(t *testing.T) {
	t.Parallel()
	try := attempt{code: liveCode()}
	for attempts, left := range map[int64]int{0: 4, 3: 1, 4: 0} {
		try.code.Attempts = attempts
		var wrong *WrongCodeError
		require.ErrorAs(t, try.wrong(rules, now), &wrong)
		require.Equal(t, left, wrong.AttemptsLeft)
	}
	try.code.Attempts = 0
	try.budget = table.Budget{Hour: now.Unix() / 3600, HourCount: 13, Day: now.Unix() / 86400, DayCount: 13, Rev: 13}
	var wrong *WrongCodeError
	require.ErrorAs(t, try.wrong(rules, now), &wrong)
	require.Equal(t, 1, wrong.AttemptsLeft, "the budget ends before the code")
}
