package userstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	t.Run("verified_address_is_primary", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		user := w.User(t, "u1")
		require.Equal(t, "u1@example.com", user.Email)
		require.NotEmpty(t, user.PrimaryEmailID)
		require.Equal(t, userstore.Active, user.Status)
		require.EqualValues(t, 1, user.Version)
		stored, err := w.Users.Get(t.Context(), "u1")
		require.NoError(t, err)
		require.Equal(t, user, stored, "what Create returns is what is stored")
		found, err := w.Users.GetByEmail(t.Context(), "U1@Example.com")
		require.NoError(t, err)
		require.Equal(t, user, found)
		require.Nil(t, w.Audit(t))
	})
	t.Run("unverified_address_is_not_primary", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		user, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com"})
		require.NoError(t, err)
		require.Empty(t, user.Email)
		require.Empty(t, user.PrimaryEmailID)
		_, err = w.Users.GetByEmail(t.Context(), "u1@example.com")
		require.ErrorIs(t, err, userstore.ErrNotFound)
		require.Nil(t, w.Audit(t))
	})
	t.Run("repeated_returns_the_stored_user", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		first := w.User(t, "u1")
		w.Clock.Advance(time.Hour)
		require.Equal(t, first, w.User(t, "u1"))
	})
	t.Run("exists_with_another_address", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "other@example.com", EmailVerified: true})
		require.ErrorIs(t, err, userstore.ErrExists)
		_, err = w.Users.GetByEmail(t.Context(), "other@example.com")
		require.ErrorIs(t, err, userstore.ErrNotFound, "the address is not claimed")
	})
	t.Run("address_of_somebody_else", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "u1@example.com", EmailVerified: true})
		require.ErrorIs(t, err, userstore.ErrTaken)
		_, err = w.Users.Get(t.Context(), "u2")
		require.ErrorIs(t, err, userstore.ErrNotFound)
	})
	t.Run("takes_over_a_lapsed_address", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "squatter", Email: "dana@example.com"})
		require.NoError(t, err)
		dana := userstore.NewUser{UserID: "dana", Email: "dana@example.com", EmailVerified: true}
		w.Clock.Advance(24*time.Hour - time.Second)
		_, err = w.Users.Create(t.Context(), dana)
		require.ErrorIs(t, err, userstore.ErrTaken, "the lease holds to its last second")
		w.Clock.Advance(time.Second)
		_, err = w.Users.Create(t.Context(), dana)
		require.NoError(t, err)
		squatter, err := w.Users.Get(t.Context(), "squatter")
		require.NoError(t, err)
		require.Zero(t, squatter.EmailCount)
		require.Nil(t, w.Audit(t))
	})
	t.Run("lists_every_bad_field", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		_, err := w.Users.Create(t.Context(), userstore.NewUser{
			UserID: "a b", Username: "\x00", Email: "nobody", FirstName: "<b>", LastName: "R2D2",
		})
		require.ErrorIs(t, err, userstore.ErrInvalid)
		require.Equal(t, []string{"userId", "email", "username", "firstName", "lastName"}, fields(t, err))
	})
}

func fields(t *testing.T, err error) []string {
	t.Helper()
	var bad *userstore.ValidationError
	require.ErrorAs(t, err, &bad)
	names := make([]string, len(bad.Fields))
	for i, f := range bad.Fields {
		names[i] = f.Field
	}
	return names
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	t.Run("sets_clears_and_keeps", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		w.Clock.Advance(time.Minute)
		user, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("  Ann "), Phone: new("+14155550123"), ExpectedVersion: 1})
		require.NoError(t, err)
		require.Equal(t, "Ann", user.FirstName)
		require.Equal(t, "Reyes", user.LastName)
		require.EqualValues(t, 2, user.Version)
		require.Equal(t, w.Clock.Now(), user.UpdatedAt)
		user, err = w.Users.Update(t.Context(), "u1", userstore.Changes{ClearPhone: true})
		require.NoError(t, err)
		require.Empty(t, user.Phone)
		stored, err := w.Users.Get(t.Context(), "u1")
		require.NoError(t, err)
		require.Equal(t, user, stored)
	})
	t.Run("other_version", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann"), ExpectedVersion: 2})
		require.ErrorIs(t, err, userstore.ErrVersionConflict)
	})
	t.Run("loaded_but_old", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		old := w.User(t, "u1")
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{LastName: new("Roe")})
		require.NoError(t, err)
		user, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann")}, userstore.Loaded(old))
		require.NoError(t, err)
		require.Equal(t, "Roe", user.LastName, "the other update is not lost")
		_, err = w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Eve"), ExpectedVersion: old.Version}, userstore.Loaded(old))
		require.ErrorIs(t, err, userstore.ErrVersionConflict)
	})
	t.Run("loaded_but_suspended_then_reinstated", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		old, err := w.Users.Suspend(t.Context(), "u1", "")
		require.NoError(t, err)
		_, err = w.Users.Reinstate(t.Context(), "u1")
		require.NoError(t, err)
		_, err = w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann")}, userstore.Loaded(old))
		require.NoError(t, err, "a refusal on an old user is looked at again")
	})
	t.Run("lists_every_bad_field", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new(""), LastName: new("<"), Phone: new("12"), ExpectedVersion: -1})
		require.Equal(t, []string{"firstName", "lastName", "phone", "expectedVersion"}, fields(t, err))
	})
	t.Run("nobody", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann")})
		require.ErrorIs(t, err, userstore.ErrNotFound)
	})
}

func TestLifeCycle(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	w.Verified(t, "u1", "second@example.com")
	_, err := w.Emails.Add(t.Context(), "u1", "third@example.com")
	require.NoError(t, err)

	user, err := w.Users.Suspend(t.Context(), "u1", "fraud")
	require.NoError(t, err)
	require.Equal(t, userstore.Suspended, user.Status)
	_, err = w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann")})
	require.ErrorIs(t, err, userstore.ErrNotActive)
	_, err = w.Emails.Add(t.Context(), "u1", "fourth@example.com")
	require.ErrorIs(t, err, userstore.ErrNotActive)

	user, err = w.Users.Delete(t.Context(), "u1")
	require.NoError(t, err)
	require.Equal(t, w.Clock.Now().Add(30*24*time.Hour), user.PurgeAfter)
	_, err = w.Users.GetByEmail(t.Context(), "second@example.com")
	require.ErrorIs(t, err, userstore.ErrNotFound, "a deleted account resolves to nobody")
	_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "second@example.com", EmailVerified: true})
	require.ErrorIs(t, err, userstore.ErrTaken, "its addresses are not free")
	_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com", EmailVerified: true})
	require.ErrorIs(t, err, userstore.ErrExists, "it is not created again")

	user, err = w.Users.Restore(t.Context(), "u1")
	require.NoError(t, err)
	require.Equal(t, userstore.Suspended, user.Status, "it comes back as it was")
	_, err = w.Users.Delete(t.Context(), "u1")
	require.NoError(t, err)
	require.ErrorIs(t, w.Users.Purge(t.Context(), "u1"), userstore.ErrStatus)
	w.Clock.Advance(30 * 24 * time.Hour)
	_, err = w.Users.Restore(t.Context(), "u1")
	require.ErrorIs(t, err, userstore.ErrStatus)
	require.NoError(t, w.Users.Purge(t.Context(), "u1"))
	require.NoError(t, w.Users.Purge(t.Context(), "u1"), "a repeat is a success")

	tombstone, err := w.Users.Get(t.Context(), "u1")
	require.NoError(t, err)
	require.Equal(t, userstore.Deleted, tombstone.Status)
	require.Empty(t, tombstone.Email+tombstone.FirstName+tombstone.LastName)
	_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com", EmailVerified: true})
	require.ErrorIs(t, err, userstore.ErrExists, "the id is never used again")
	_, err = w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "second@example.com", EmailVerified: true})
	require.NoError(t, err, "the addresses are free")
	require.Nil(t, w.Audit(t))
}

func TestWith(t *testing.T) {
	t.Parallel()
	member := func(w *suite.World, condition string) types.TransactWriteItem {
		put := &types.Put{TableName: &w.Config.Table, Item: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "TENANT#1"}, "SK": &types.AttributeValueMemberS{Value: "MEMBER#u1"},
		}}
		if condition != "" {
			put.ConditionExpression = aws.String(condition)
		}
		return types.TransactWriteItem{Put: put}
	}
	t.Run("all_or_nothing", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		create := func(o ...userstore.Option) error {
			_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com"}, o...)
			return err
		}
		err := create(userstore.With(member(w, ""), types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &w.Config.Table, ConditionExpression: aws.String("attribute_exists(PK)"),
			Key: map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "TENANT#1"}, "SK": &types.AttributeValueMemberS{Value: "TENANT"}},
		}}))
		var item *userstore.ItemError
		require.ErrorAs(t, err, &item)
		require.Equal(t, 1, item.Index)
		require.Nil(t, item.Old)
		_, err = w.Users.Get(t.Context(), "u1")
		require.ErrorIs(t, err, userstore.ErrNotFound)
		require.NoError(t, create(userstore.With(member(w, "attribute_not_exists(PK)"))))
	})
	t.Run("judged_last", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "u1@example.com"}, userstore.With(member(w, "attribute_exists(PK)")))
		require.ErrorIs(t, err, userstore.ErrTaken)
	})
	t.Run("carries_the_old_item", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		w.User(t, "u1")
		_, err := w.Users.Suspend(t.Context(), "u1", "", userstore.With(member(w, "")))
		require.NoError(t, err)
		_, err = w.Users.Reinstate(t.Context(), "u1", userstore.With(member(w, "attribute_not_exists(PK)")))
		var item *userstore.ItemError
		require.ErrorAs(t, err, &item)
		require.Contains(t, item.Old, "PK")
		user, err := w.Users.Get(t.Context(), "u1")
		require.NoError(t, err)
		require.Equal(t, userstore.Suspended, user.Status)
	})
	t.Run("not_on_our_items", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		user := w.User(t, "u1")
		action := types.TransactWriteItem{Delete: &types.Delete{TableName: &w.Config.Table, Key: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "USER#u1"}, "SK": &types.AttributeValueMemberS{Value: "EMAIL#" + user.PrimaryEmailID},
		}}}
		requests := w.Requests(func() {
			_, err := w.Users.Suspend(t.Context(), "u1", "", userstore.With(action))
			require.ErrorIs(t, err, userstore.ErrInvalid)
			_, err = w.Users.Suspend(t.Context(), "u1", "", userstore.With(types.TransactWriteItem{}))
			require.ErrorIs(t, err, userstore.ErrInvalid)
			both := member(w, "")
			both.Delete = &types.Delete{TableName: aws.String("theirs"), Key: both.Put.Item}
			_, err = w.Users.Suspend(t.Context(), "u1", "", userstore.With(member(w, ""), both))
			require.ErrorIs(t, err, userstore.ErrInvalid)
			require.ErrorContains(t, err, "item 1 has more than one action")
			_, err = w.Users.Suspend(t.Context(), "u1", "", userstore.Loaded(user), nil)
			require.ErrorIs(t, err, userstore.ErrInvalid)
			require.ErrorContains(t, err, "option 1 is nil")
			_, err = w.Users.Suspend(t.Context(), "u1", "", userstore.Loaded(&userstore.User{UserID: "u1"}))
			require.ErrorIs(t, err, userstore.ErrInvalid)
			_, err = w.Users.Suspend(t.Context(), "u2", "", userstore.Loaded(user))
			require.ErrorIs(t, err, userstore.ErrInvalid)
		})
		require.Zero(t, requests)
	})
	t.Run("at_most_100_actions", func(t *testing.T) {
		t.Parallel()
		w := suite.New(t)
		actions := make([]types.TransactWriteItem, 98)
		for i := range actions {
			actions[i] = member(w, "")
		}
		requests := w.Requests(func() {
			_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com"}, userstore.With(actions...))
			require.ErrorIs(t, err, userstore.ErrTooManyActions)
		})
		require.Zero(t, requests)
	})
}

func TestWithRequestID(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	for name, id := range map[string]string{"long": strings.Repeat("x", 257), "not_text": "\xff"} {
		require.Zero(t, w.Requests(func() {
			_, err := w.Users.Suspend(userstore.WithRequestID(t.Context(), id), "u1", "")
			require.ErrorIs(t, err, userstore.ErrInvalid, name)
			require.ErrorContains(t, err, "WithRequestID", name)
		}), name)
	}
	_, err := w.Users.Suspend(userstore.WithRequestID(t.Context(), strings.Repeat("x", 256)), "u1", "")
	require.NoError(t, err)
	require.Equal(t, []string{"user.created", "user.suspended"}, w.EventTypes(t, "u1"))
}

func TestAll(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	want := map[string]bool{}
	for _, id := range []string{"u1", "u2", "u3", "u4", "u5", "u6", "u7"} {
		w.User(t, id)
		want[id] = true
	}
	got := map[string]bool{}
	for segment := range 3 {
		for user, err := range w.Users.All(t.Context(), userstore.Segment{Index: segment, Of: 3}) {
			require.NoError(t, err)
			require.False(t, got[user.UserID], "each once")
			got[user.UserID] = true
		}
	}
	require.Equal(t, want, got)
	for _, err := range w.Users.All(t.Context(), userstore.Segment{Index: 3, Of: 3}) {
		require.ErrorIs(t, err, userstore.ErrInvalid)
	}
	for range w.Users.All(t.Context(), userstore.Segment{}) {
		break
	}
}

// TestAllPassesOverItemsOfOthers: only the account's partition and its own sort key are this package's.
func TestAllPassesOverItemsOfOthers(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	put := types.TransactWriteItem{Put: &types.Put{TableName: &w.Config.Table, Item: map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "TENANT#1"}, "SK": &types.AttributeValueMemberS{Value: "PROFILE"},
	}}}
	_, err := w.Users.RevokeTokens(t.Context(), "u1", userstore.With(put))
	require.NoError(t, err)
	for user, err := range w.Users.All(t.Context(), userstore.Segment{}) {
		require.NoError(t, err)
		require.Equal(t, "u1", user.UserID)
	}
	require.Nil(t, w.Audit(t))
}

func TestDecodeUser(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	user := w.User(t, "u1")
	out, err := w.Plain().Scan(t.Context(), &dynamodb.ScanInput{TableName: &w.Config.Table})
	require.NoError(t, err)
	for _, item := range append(out.Items, nil) {
		sk, _ := item["SK"].(*types.AttributeValueMemberS)
		if sk == nil || sk.Value != "PROFILE" {
			_, err := userstore.DecodeUser(item)
			require.ErrorIs(t, err, userstore.ErrInvalid)
			continue
		}
		decoded, err := userstore.DecodeUser(item)
		require.NoError(t, err)
		require.Equal(t, user.UserID, decoded.UserID)
		require.Equal(t, user.Email, decoded.Email)
		item["version"] = sk
		_, err = userstore.DecodeUser(item)
		require.ErrorIs(t, err, userstore.ErrCorrupt)
		item["PK"] = sk
		_, err = userstore.DecodeUser(item)
		require.ErrorIs(t, err, userstore.ErrInvalid)
	}
}

func TestNewNamesTheBadField(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	for name, cfg := range map[string]userstore.Config{
		"Config.Table":       {},
		"Config.MaxEmails":   {Table: "t", MaxEmails: 31},
		"Config.ClaimLease":  {Table: "t", ClaimLease: -time.Hour},
		"Config.Retention":   {Table: "t", Retention: time.Millisecond},
		"Config.Environment": {Table: "t", Environment: strings.Repeat("x", 257)},
	} {
		_, err := userstore.New(w.Client, cfg)
		require.ErrorContains(t, err, name)
	}
	_, err := userstore.New(nil, userstore.Config{Table: "t"})
	require.ErrorContains(t, err, "client")
}

func TestAllSaysThatAReadWasNotAnswered(t *testing.T) {
	t.Parallel()
	w := suite.New(t, suite.WithAttempts(1))
	w.Faults.Next(faults.Internal{}, faults.Ops("Scan"))
	for _, err := range w.Users.All(t.Context(), userstore.Segment{}) {
		require.ErrorIs(t, err, userstore.ErrUnavailable)
	}
}
