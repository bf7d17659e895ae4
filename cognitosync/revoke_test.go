package cognitosync_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

func (w *world) revoker(t testing.TB, progress func(cognitosync.RevokeProgress)) *cognitosync.Revoker {
	t.Helper()
	r, err := cognitosync.NewRevoker(w.pool.Client(), w.users, cognitosync.RevokeConfig{
		UserPoolID: cognitotest.PoolID, Progress: progress, Logger: w.log.logger(),
	})
	require.NoError(t, err)
	return r
}

func TestRevokePool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size = 500
		m := newMeter()
		w := newWorld(t, cognitotest.Options{Ragged: true, Intercept: func(c cognitotest.Call) string {
			m.intercept(c)
			if c.Username == "u7" {
				return "NotAuthorizedException"
			}
			return ""
		}})
		for i := range size {
			w.pool.Put(cognitotest.User{Sub: fmt.Sprint("u", i), Username: fmt.Sprint("u", i)})
		}
		ctx, kill := context.WithCancel(t.Context())
		m.die, m.dieAt = kill, size/2
		var last cognitosync.RevokeProgress
		r := w.revoker(t, func(p cognitosync.RevokeProgress) { last = p })
		first, err := r.RevokePool(ctx, "")
		require.ErrorIs(t, err, context.Canceled)
		require.EqualValues(t, 1, first.Failed)
		cutoff, err := w.users.TokensValidAfter(t.Context())
		require.NoError(t, err)
		require.Equal(t, first.ValidAfter, cutoff, "in force before the first user is signed out")

		<-time.After(time.Minute)
		second, err := w.revoker(t, nil).RevokePool(t.Context(), last.Token)
		require.NoError(t, err)
		require.Empty(t, second.Token)
		require.Less(t, second.Done, int64(size), "resumed")
		again, err := w.users.TokensValidAfter(t.Context())
		require.NoError(t, err)
		require.Equal(t, cutoff, again, "those who signed in since stay signed in")
		for i := range size {
			if i != 7 {
				require.Positive(t, w.user(t, fmt.Sprint("u", i)).SignedOut, i)
			}
		}
		require.LessOrEqual(t, m.mostInASecond(), 5)
		_, err = r.RevokePool(t.Context(), "damaged")
		require.ErrorIs(t, err, cognitosync.ErrToken)
	})
}

func TestRevokeUsers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		w := newWorld(t, cognitotest.Options{Intercept: func(cognitotest.Call) string {
			if down.Load() {
				return "ServiceUnavailable"
			}
			return ""
		}})
		ids := []string{"s1", "s2", "not-in-the-table", "deleted", "s3", "s4"}
		for _, id := range ids {
			if id == "not-in-the-table" {
				w.pool.Put(cognitotest.User{Sub: id})
				continue
			}
			w.signedUp(t, id)
		}
		_, err := w.users.Delete(t.Context(), "deleted")
		require.NoError(t, err)
		r := w.revoker(t, func(p cognitosync.RevokeProgress) { down.Store(p.Done == 4) })
		progress, err := r.RevokeUsers(t.Context(), slices.Values(ids))
		require.Error(t, err)
		require.EqualValues(t, 4, progress.Done)
		down.Store(false)
		progress, err = w.revoker(t, nil).RevokeUsers(t.Context(), slices.Values(ids[progress.Done:]))
		require.NoError(t, err)
		require.Equal(t, cognitosync.RevokeProgress{Done: 2}, progress)
		for _, id := range ids {
			require.Positive(t, w.user(t, id).SignedOut, id)
		}
		user, err := w.users.Get(t.Context(), "s4")
		require.NoError(t, err)
		require.False(t, user.TokensValidAfter.IsZero())
		fleet, err := w.users.TokensValidAfter(t.Context())
		require.NoError(t, err)
		require.Zero(t, fleet, "the others stay signed in")
	})
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	client := w.pool.Client()
	_, err := cognitosync.NewRevoker(client, w.users, cognitosync.RevokeConfig{UserPoolID: "p", CallsPerSecond: -1})
	require.ErrorContains(t, err, "RevokeConfig.CallsPerSecond")
	_, err = cognitosync.NewRevoker(client, w.users, cognitosync.RevokeConfig{})
	require.ErrorContains(t, err, "RevokeConfig.UserPoolID")
	_, err = cognitosync.New(client, w.users, cognitosync.Config{})
	require.ErrorContains(t, err, "Config.UserPoolID")
	_, err = cognitosync.New(client, nil, cognitosync.Config{UserPoolID: "p"})
	require.Error(t, err)
	_, err = cognitosync.NewDeadLetters(nil, nil)
	require.Error(t, err)
}

func TestEnsureUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	identity := cognitosync.Identity{UserID: "s1", Email: "s1@example.com", EmailVerified: true, FirstName: "R2D2", LastName: "Reyes"}
	user, err := cognitosync.EnsureUser(t.Context(), w.users, identity)
	require.NoError(t, err)
	require.Equal(t, "s1@example.com", user.Email)
	identity.Email = "other@example.com"
	again, err := cognitosync.EnsureUser(t.Context(), w.users, identity)
	require.NoError(t, err)
	require.Equal(t, user.Email, again.Email, "an account that exists is returned as it is")
	_, err = cognitosync.EnsureUser(t.Context(), w.users, cognitosync.Identity{UserID: "s2", Email: "s1@example.com"})
	require.ErrorIs(t, err, userstore.ErrTaken)
	_, err = cognitosync.EnsureUser(t.Context(), w.users, cognitosync.Identity{UserID: "s2", Email: "nobody"})
	require.ErrorIs(t, err, userstore.ErrInvalid)
}
