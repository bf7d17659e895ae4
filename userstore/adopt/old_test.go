package adopt_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
	"github.com/usercore-go/usercore/userstore/adopt"
)

// two is an account with a primary address and one that is not verified.
func two(id string) []item {
	return []item{
		profile(id, id+"@example.com"), row(id, "e1", id+"@example.com", true, true), row(id, "e2", id+".two@example.com", false, false),
	}
}

// applied runs with Apply.
func applied(t *testing.T, w *suite.World) adopt.Report {
	t.Helper()
	report, err := adopt.Run(t.Context(), w.Client, adopt.Config{Store: w.Config, AccountsPerSecond: 10_000, Apply: true}, "")
	require.NoError(t, err)
	return report
}

// oldHand does to single items what an old program does.
type oldHand struct {
	t *testing.T
	w *suite.World
}

func (o oldHand) put(it item) { put(o.t, o.w, []item{it}) }

func (o oldHand) remove(id, emailID string) {
	o.t.Helper()
	key := item{"PK": text("USER#" + id), "SK": text("EMAIL#" + emailID)}
	_, err := o.w.Plain().DeleteItem(o.t.Context(), &dynamodb.DeleteItemInput{TableName: &o.w.Config.Table, Key: key})
	require.NoError(o.t, err)
}

func (o oldHand) verify(id, emailID string) {
	o.t.Helper()
	_, err := o.w.Plain().UpdateItem(o.t.Context(), &dynamodb.UpdateItemInput{
		TableName: &o.w.Config.Table, Key: item{"PK": text("USER#" + id), "SK": text("EMAIL#" + emailID)},
		UpdateExpression:          aws.String("SET isVerified = :yes, verifiedAt = :at"),
		ExpressionAttributeValues: item{":yes": flagOf(true), ":at": text("2024-02-01T08:00:00Z")},
	})
	require.NoError(o.t, err)
}

// TestOldProgramsAfterAdoption: whatever an old program does to accounts that are adopted, the next run mends it, and one that says settled leaves
// nothing for the auditor.
func TestOldProgramsAfterAdoption(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(o oldHand){
		"adds_an_address":     func(o oldHand) { o.put(row("u", "e3", "three@example.com", false, false)) },
		"verifies_an_address": func(o oldHand) { o.verify("u", "e2") },
		"removes_an_address":  func(o oldHand) { o.remove("u", "e2") },
		"changes_the_primary": func(o oldHand) { o.verify("u", "e2"); movePrimary(context.Background(), o.w, "u") },
		"adds_an_address_again": func(o oldHand) {
			o.remove("u", "e2")
			o.put(row("u", "e3", "u.two@example.com", false, false))
		},
		"moves_an_address": func(o oldHand) {
			o.remove("u", "e2")
			o.put(row("v", "e3", "u.two@example.com", false, true))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			put(t, w, append(two("u"), two("v")...))
			applied(t, w)
			require.True(t, applied(t, w).Settled())
			act(oldHand{t, w})
			require.NotNil(t, w.Audit(t), "it matters")
			require.False(t, applied(t, w).Settled(), "it is found")
			require.True(t, applied(t, w).Settled())
			require.Nil(t, w.Audit(t))
		})
	}
}

// TestLeftToAPerson: an account that the library could not open or that no transaction fits is reported, and the run goes on behind it.
func TestLeftToAPerson(t *testing.T) {
	t.Parallel()
	frozen := two("u")
	frozen[0]["status"] = text("frozen")
	for name, c := range map[string]struct {
		items []item
		want  adopt.Kind
	}{
		"address_twice":   {append(two("u"), row("u", "e3", "u@example.com", false, true)), adopt.AddressTwice},
		"status_unknown":  {frozen, adopt.StatusUnknown},
		"user_id":         {two("a#b"), adopt.UserIDRefused},
		"profile_missing": {two("u")[1:], adopt.ProfileMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			put(t, w, append(c.items, two("v")...))
			require.EqualValues(t, 1, applied(t, w).Adopted)
			report := applied(t, w)
			require.Equal(t, map[adopt.Kind]int64{c.want: 1}, report.Kinds)
			require.False(t, report.Settled())
		})
	}
}

// TestProfileWrittenAnew: the numbers of the account's events are not begun again, and a run ends as usual.
func TestProfileWrittenAnew(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	put(t, w, two("u"))
	applied(t, w)
	oldHand{t, w}.put(profile("u", "u@example.com"))
	require.Equal(t, map[adopt.Kind]int64{adopt.SeqLost: 1}, applied(t, w).Kinds)
	oldHand{t, w}.put(with(profile("u", "u@example.com"), "seq", number(2)))
	applied(t, w)
	require.True(t, applied(t, w).Settled(), "a person has given it a number")
	require.Nil(t, w.Audit(t))
}

func with(it item, name string, value types.AttributeValue) item {
	it[name] = value
	return it
}

// TestDeletedAccountIsRetained: the plain layout does not say since when it is deleted, so a sweep may not erase it at once.
func TestDeletedAccountIsRetained(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	items := two("u")
	items[0]["status"] = text("deleted")
	put(t, w, items)
	applied(t, w)
	require.ErrorIs(t, w.Users.Purge(t.Context(), "u"), userstore.ErrStatus)
}
