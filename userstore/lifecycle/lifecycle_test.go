package lifecycle_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/internal/table"
	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/lifecycle"
)

const day = 24 * time.Hour

// fast is as quick as the engine.
const fast = 1_000_000

func janitor(t *testing.T, w *suite.World, change func(*lifecycle.Config)) *lifecycle.Janitor {
	t.Helper()
	cfg := lifecycle.Config{Store: w.Config, Rate: fast}
	if change != nil {
		change(&cfg)
	}
	j, err := lifecycle.New(w.Client, cfg)
	require.NoError(t, err)
	return j
}

func run(t *testing.T, w *suite.World, change func(*lifecycle.Config)) lifecycle.Report {
	t.Helper()
	report, err := janitor(t, w, change).Run(t.Context(), "")
	require.NoError(t, err)
	return *report
}

func dry(cfg *lifecycle.Config) { cfg.DryRun = true }

// TestPurge: a deleted account goes when its retention is over, not before, and once.
func TestPurge(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	for _, id := range []string{"kept", "gone", "late"} {
		w.User(t, id)
	}
	_, err := w.Users.Delete(t.Context(), "gone")
	require.NoError(t, err)
	w.Clock.Advance(time.Second)
	_, err = w.Users.Delete(t.Context(), "late")
	require.NoError(t, err)
	w.Clock.Advance(30*day - 2*time.Second)
	require.Equal(t, lifecycle.Report{}, run(t, w, nil))
	w.Clock.Advance(time.Second)
	require.Equal(t, lifecycle.Report{DryRun: true, Purged: 1}, run(t, w, dry))
	require.Equal(t, lifecycle.Report{Purged: 1}, run(t, w, nil))
	require.Equal(t, lifecycle.Report{}, run(t, w, nil))
	_, err = w.Users.Restore(t.Context(), "late")
	require.NoError(t, err)
	require.Nil(t, w.Audit(t))
}

// TestItemsOfOthers: what an application keeps in the table under sort keys like ours is neither purged nor a failure.
func TestItemsOfOthers(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	str := func(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
	long := &types.AttributeValueMemberN{Value: "1"}
	for _, item := range []map[string]types.AttributeValue{
		{"PK": str("TENANT#1"), "SK": str("PROFILE"), "status": str("deleted"), "purgeAfter": long},
		{"PK": str("TENANT#1"), "SK": str("CLAIM"), "leaseUntil": long},
	} {
		_, err := w.Plain().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &w.Config.Table, Item: item})
		require.NoError(t, err)
	}
	require.Equal(t, lifecycle.Report{}, run(t, w, nil))
}

// TestLapsedAddress: an unverified address goes when its life is over, with its event; even the only one of its account.
func TestLapsedAddress(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	added, err := w.Emails.Add(t.Context(), "u1", "new@example.org")
	require.NoError(t, err)
	_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "u2@example.com"})
	require.NoError(t, err)
	short := func(cfg *lifecycle.Config) { cfg.UnverifiedLife = 2 * day }
	w.Clock.Advance(3*day - time.Second) // the lease is one day
	require.Equal(t, lifecycle.Report{}, run(t, w, short))
	w.Clock.Advance(time.Second)
	require.Equal(t, lifecycle.Report{}, run(t, w, nil), "the default is longer")
	require.Equal(t, lifecycle.Report{Lapsed: 2}, run(t, w, short))
	require.Equal(t, lifecycle.Report{}, run(t, w, short))
	_, rows, err := w.Emails.Profile(t.Context(), "u1")
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.NotEqual(t, added.EmailID, rows[0].EmailID)
	user, err := w.Users.Get(t.Context(), "u2")
	require.NoError(t, err)
	require.Zero(t, user.EmailCount)
	require.Nil(t, w.Audit(t))
	lapsed := 0
	for _, e := range w.Events(t) {
		if e.Type == "email.removed" {
			lapsed++
			require.Contains(t, string(e.Data), `"reason":"lapsed"`)
		}
	}
	require.Equal(t, 2, lapsed)
}

// TestVerifiedMeanwhile: whoever confirms in the last moment keeps the address, whichever comes first.
func TestVerifiedMeanwhile(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	const users = 8
	for i := range users {
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: fmt.Sprint("u", i), Email: fmt.Sprintf("u%d@example.com", i)})
		require.NoError(t, err)
	}
	w.Clock.Advance(2*day + time.Second)
	ids, codes := make([]string, users), make([]string, users)
	for i := range users {
		user := fmt.Sprint("u", i)
		_, rows, err := w.Emails.Profile(t.Context(), user)
		require.NoError(t, err)
		ids[i] = rows[0].EmailID
		_, err = w.Emails.SendCode(t.Context(), user, ids[i])
		require.NoError(t, err)
		codes[i] = w.Mail.Code(t, rows[0].Email)
	}
	var report lifecycle.Report
	confirmed := 0
	for i, err := range suite.Parallel(users+1, func(i int) error {
		if i == users {
			report = run(t, w, func(cfg *lifecycle.Config) { cfg.UnverifiedLife = time.Second })
			return nil
		}
		_, err := w.Emails.Confirm(t.Context(), fmt.Sprint("u", i), ids[i], codes[i])
		return err
	}) {
		if i < users && err == nil {
			confirmed++
		}
	}
	require.Zero(t, report.Failed, "%+v", report.Failures)
	require.EqualValues(t, users, int64(confirmed)+report.Lapsed, "each address is verified or gone")
	require.Nil(t, w.Audit(t))
}

// TestResume: a run that is stopped tells where to go on, and nothing is done twice or left out.
func TestResume(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	const users = 40
	for i := range users {
		id := fmt.Sprint("u", i)
		w.User(t, id)
		_, err := w.Users.Delete(t.Context(), id)
		require.NoError(t, err)
	}
	w.Clock.Advance(31 * day)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	first, err := janitor(t, w, func(cfg *lifecycle.Config) {
		cfg.Progress = func(items int64, _ string) {
			if items > users {
				stop()
			}
		}
	}).Run(ctx, "")
	require.ErrorIs(t, err, context.Canceled)
	require.NotEmpty(t, first.Token)
	require.Positive(t, first.Purged)
	rest, err := janitor(t, w, nil).Run(t.Context(), first.Token)
	require.NoError(t, err)
	require.EqualValues(t, users, first.Purged+rest.Purged)
	require.Empty(t, rest.Token)
	require.Nil(t, w.Audit(t))
}

// TestFailuresAreCounted: what cannot be removed does not keep the rest from being removed.
func TestFailuresAreCounted(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	for _, id := range []string{"u1", "u2"} {
		w.User(t, id)
		_, err := w.Users.Delete(t.Context(), id)
		require.NoError(t, err)
	}
	_, err := w.Plain().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &w.Config.Table, Key: table.ClaimKey("u1@example.com")})
	require.NoError(t, err, "an account that no change fits any more")
	w.Clock.Advance(31 * day)
	report := run(t, w, nil)
	require.EqualValues(t, 1, report.Purged)
	require.EqualValues(t, 1, report.Failed)
	require.Equal(t, "u1", report.Failures[0].UserID)
	require.NotContains(t, report.Failures[0].Error, "@")
}

func TestNewNamesTheField(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	for field, cfg := range map[string]lifecycle.Config{
		"Config.Store": {}, "Config.Rate": {Store: w.Config, Rate: -1}, "Config.UnverifiedLife": {Store: w.Config, UnverifiedLife: time.Millisecond},
	} {
		_, err := lifecycle.New(w.Client, cfg)
		require.ErrorContains(t, err, field)
	}
	_, err := janitor(t, w, nil).Run(t.Context(), "no token")
	require.ErrorIs(t, err, lifecycle.ErrToken)
}
