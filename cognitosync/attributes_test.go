package cognitosync_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

func TestPrimaryChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	w.pool.Put(cognitotest.User{Sub: "s1", Email: "old@example.com", EmailVerified: true})
	require.NoError(t, w.syncer(t, w.users, cognitosync.Config{}).HandleEvent(t.Context(), published(t, "email.primary.changed", "s1")))
	user := w.user(t, "s1")
	require.Equal(t, "s1@example.com", user.Email)
	require.True(t, user.EmailVerified, "or nobody could sign in with it")
}

func TestPrimaryIsAnothersAlias(t *testing.T) {
	t.Parallel()
	calls := 0
	w := newWorld(t, cognitotest.Options{Intercept: func(c cognitotest.Call) string {
		if c.Op == "AdminUpdateUserAttributes" {
			calls++
		}
		return ""
	}})
	w.signedUp(t, "s1")
	w.pool.Put(cognitotest.User{Sub: "s1", Email: "old@example.com", EmailVerified: true})
	w.pool.Put(cognitotest.User{Sub: "thief", Email: "s1@example.com", EmailVerified: true})
	var told []string
	syncer := w.syncer(t, w.users, cognitosync.Config{OnConflict: func(_ context.Context, userID string) { told = append(told, userID) }})
	require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "email.primary.changed", "s1")), "a new delivery would not help")
	require.Equal(t, []string{"s1"}, told)
	require.Equal(t, 1, calls, "not retried")
	require.Equal(t, "conflict", w.log.last(t)["outcome"])
	require.NotContains(t, w.log.text(), "example.com")
	require.ErrorIs(t, syncer.SyncPrimary(t.Context(), "s1"), cognitosync.ErrAliasTaken)
	require.Equal(t, "old@example.com", w.user(t, "s1").Email)
}

func TestPrimaryThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.pool.Put(cognitotest.User{Sub: "s1", Email: "old@example.com"})
	_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "s1", Email: "new@example.com"})
	require.NoError(t, err)
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	require.NoError(t, syncer.SyncPrimary(t.Context(), "s1"))
	require.Equal(t, "old@example.com", w.user(t, "s1").Email, "an unverified address is nobody's primary")
	w.signedUp(t, "s2")
	w.pool.Delete("s2")
	require.NoError(t, syncer.SyncPrimary(t.Context(), "s2"), "nothing to write to")
}

func TestPrimaryOvertakenByTheNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	stale := &renamed{Store: w.users}
	require.NoError(t, w.syncer(t, stale, cognitosync.Config{}).SyncPrimary(t.Context(), "s1"))
	require.Equal(t, "s1@example.com", w.user(t, "s1").Email, "who writes last looks again")
	require.Equal(t, 3, stale.reads)
}

// renamed is a store whose first read is one of before the primary address changed.
type renamed struct {
	*userstore.Store
	reads int
}

func (r *renamed) Get(ctx context.Context, userID string) (*userstore.User, error) {
	user, err := r.Store.Get(ctx, userID)
	if r.reads++; r.reads == 1 && err == nil {
		user.Email = "before@example.com"
	}
	return user, err
}
