package cognitosync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

func (w *world) syncer(t testing.TB, users cognitosync.Accounts, cfg cognitosync.Config) *cognitosync.Syncer {
	t.Helper()
	cfg.UserPoolID, cfg.Logger = cognitotest.PoolID, w.log.logger()
	syncer, err := cognitosync.New(w.pool.Client(), users, cfg)
	require.NoError(t, err)
	return syncer
}

// published is an event as EventBridge delivers it, its detail made by the outbox.
func published(t testing.TB, eventType, userID string) json.RawMessage {
	t.Helper()
	detail, err := outbox.Envelope{AggregateField: "userId"}.Encode(outbox.Event{
		ID: "ca866be9-08cf-54d1-8056-c2056ed15c24", Type: eventType, AggregateID: userID, Seq: 2, Time: time.Unix(0, 0), Data: json.RawMessage(`{"reason":"spam"}`),
	})
	require.NoError(t, err)
	return json.RawMessage(fmt.Sprintf(`{"version":"0","id":"1","source":"user-service","detail-type":%q,"time":"2026-01-01T00:00:00Z","detail":%s}`, eventType, detail))
}

func TestSuspendAndReactivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	user, err := syncer.Suspend(t.Context(), "s1", "spam")
	require.NoError(t, err)
	require.Equal(t, userstore.Suspended, user.Status)
	require.True(t, w.user(t, "s1").Disabled)
	require.Equal(t, 1, w.user(t, "s1").SignedOut)

	user, err = syncer.Reactivate(t.Context(), "s1")
	require.NoError(t, err)
	require.Equal(t, userstore.Active, user.Status)
	require.False(t, w.user(t, "s1").Disabled)

	_, err = syncer.Delete(t.Context(), "s1")
	require.NoError(t, err)
	require.True(t, w.user(t, "s1").Disabled)
	_, err = syncer.Reactivate(t.Context(), "s1")
	require.ErrorIs(t, err, userstore.ErrStatus)
	_, err = syncer.Restore(t.Context(), "s1")
	require.NoError(t, err)
	require.False(t, w.user(t, "s1").Disabled)
	_, err = syncer.Suspend(t.Context(), "nobody", "")
	require.ErrorIs(t, err, userstore.ErrNotFound)
}

func TestSuspendDiesAfterTheStatusChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	_, err := w.users.Suspend(t.Context(), "s1", "spam") // all that the process lived to do
	require.NoError(t, err)
	require.False(t, w.user(t, "s1").Disabled)
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	for range 2 {
		require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.suspended", "s1")))
	}
	require.True(t, w.user(t, "s1").Disabled)
	require.Positive(t, w.user(t, "s1").SignedOut)
}

func TestSuspendWhileCognitoIsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		w := newWorld(t, cognitotest.Options{Intercept: func(cognitotest.Call) string {
			if down.Load() {
				return "InternalErrorException"
			}
			return ""
		}})
		w.signedUp(t, "s1")
		syncer := w.syncer(t, w.users, cognitosync.Config{})
		down.Store(true)
		user, err := syncer.Suspend(t.Context(), "s1", "spam")
		require.ErrorIs(t, err, cognitosync.ErrPending)
		require.Equal(t, userstore.Suspended, user.Status, "the change is stored")
		event := published(t, "user.suspended", "s1")
		require.Error(t, syncer.HandleEvent(t.Context(), event), "so that the event comes again")
		down.Store(false)
		require.NoError(t, syncer.HandleEvent(t.Context(), event))
		require.True(t, w.user(t, "s1").Disabled)
	})
}

func TestSuspendRetriesThrottling(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		w := newWorld(t, cognitotest.Options{Intercept: func(cognitotest.Call) string {
			if calls.Add(1)%2 == 1 {
				return "TooManyRequestsException"
			}
			return ""
		}})
		w.signedUp(t, "s1")
		_, err := w.syncer(t, w.users, cognitosync.Config{}).Suspend(t.Context(), "s1", "")
		require.NoError(t, err)
		require.True(t, w.user(t, "s1").Disabled)
		require.EqualValues(t, 4, calls.Load(), "each call was made twice, and the SDK added none")
	})
}

func TestSuspendFederatedUsers(t *testing.T) {
	t.Parallel()
	for name, stored := range map[string]string{"name_is_stored": "Google_1", "name_is_looked_up": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, cognitotest.Options{})
			w.pool.Put(cognitotest.User{Sub: "f1", Username: "Google_1", Status: cognitotest.External})
			_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "f1", Username: stored, Email: "f1@example.com", EmailVerified: true})
			require.NoError(t, err)
			_, err = w.syncer(t, w.users, cognitosync.Config{}).Suspend(t.Context(), "f1", "")
			require.NoError(t, err)
			require.True(t, w.user(t, "f1").Disabled)
			require.Equal(t, 1, w.user(t, "f1").SignedOut)
		})
	}
	t.Run("name_has_a_new_owner", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, cognitotest.Options{})
		w.pool.Put(cognitotest.User{Sub: "f2", Username: "Google_1", Status: cognitotest.External})
		_, err := w.users.Create(t.Context(), userstore.NewUser{UserID: "f1", Username: "Google_1", Email: "f1@example.com", EmailVerified: true})
		require.NoError(t, err)
		_, err = w.syncer(t, w.users, cognitosync.Config{}).Suspend(t.Context(), "f1", "")
		require.NoError(t, err, "a user who is not in the pool is as disabled as can be")
		require.False(t, w.user(t, "f2").Disabled, "somebody else keeps what is theirs")
	})
}

// TestEventsLateTwiceAndOutOfOrder plays the events of an account in an order that has nothing to do with what happened.
func TestEventsLateTwiceAndOutOfOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	_, err := w.users.Suspend(t.Context(), "s1", "")
	require.NoError(t, err)
	_, err = w.users.Reinstate(t.Context(), "s1")
	require.NoError(t, err)
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	for _, event := range []string{"user.reactivated", "user.suspended", "user.reactivated", "user.suspended"} {
		require.NoError(t, syncer.HandleEvent(t.Context(), published(t, event, "s1")))
	}
	require.False(t, w.user(t, "s1").Disabled, "the account is active, whatever came last")
}

// between runs a function once, after the read of an account and before what its reader makes of it.
type between struct {
	*userstore.Store
	once sync.Once
	do   func()
}

func (b *between) Get(ctx context.Context, userID string) (*userstore.User, error) {
	user, err := b.Store.Get(ctx, userID)
	b.once.Do(b.do)
	return user, err
}

func TestEventOvertakenByItsOpposite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	_, err := w.users.Suspend(t.Context(), "s1", "")
	require.NoError(t, err)
	late := w.syncer(t, &between{Store: w.users, do: func() {
		_, err := w.syncer(t, w.users, cognitosync.Config{}).Reactivate(t.Context(), "s1")
		require.NoError(t, err)
	}}, cognitosync.Config{})
	require.NoError(t, late.HandleEvent(t.Context(), published(t, "user.suspended", "s1")))
	require.False(t, w.user(t, "s1").Disabled, "who disables last looks again")
}

func TestEventsInParallel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	for round := range 20 {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				if i%2 == 0 {
					_, err := syncer.Suspend(t.Context(), "s1", "")
					noError(t, ignorePending(err))
					return
				}
				_, err := syncer.Reactivate(t.Context(), "s1")
				noError(t, ignorePending(err))
			})
		}
		wg.Wait()
		require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.suspended", "s1")))
		user, err := w.users.Get(t.Context(), "s1")
		require.NoError(t, err)
		require.Equal(t, user.Status != userstore.Active, w.user(t, "s1").Disabled, "round %d", round)
	}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func ignorePending(err error) error {
	if errors.Is(err, cognitosync.ErrPending) {
		return nil
	}
	return err
}

func TestEventsOfNoConcern(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{Intercept: func(c cognitotest.Call) string { return "unexpected" + c.Op }})
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.created", "s1")))
	require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.suspended", "of-another-table")))
	require.NoError(t, syncer.HandleEvent(t.Context(), json.RawMessage(`{"detail-type":"order.placed","detail":{"id":1}}`)))
	for _, event := range []string{`{`, `{}`, `{"detail-type":"user.deleted","detail":{}}`, `{"detail-type":"user.deleted","detail":[]}`} {
		require.ErrorIs(t, syncer.HandleEvent(t.Context(), json.RawMessage(event)), cognitosync.ErrBadEvent, event)
	}
}

func TestPurge(t *testing.T) {
	t.Parallel()
	for name, del := range map[string]bool{"keeps_the_user": false, "deletes_the_user": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, cognitotest.Options{})
				w.signedUp(t, "s1")
				syncer := w.syncer(t, w.users, cognitosync.Config{DeletePurged: del})
				_, err := syncer.Delete(t.Context(), "s1")
				require.NoError(t, err)
				require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.purged", "s1")))
				require.True(t, w.user(t, "s1").Disabled, "an account that is not purged keeps its user")
				<-time.After(31 * 24 * time.Hour)
				require.NoError(t, w.users.Purge(t.Context(), "s1"))
				for range 2 {
					require.NoError(t, syncer.HandleEvent(t.Context(), published(t, "user.purged", "s1")))
				}
				_, there := w.pool.Get("s1")
				require.Equal(t, !del, there)
			})
		})
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, cognitotest.Options{})
	w.signedUp(t, "s1")
	syncer := w.syncer(t, w.users, cognitosync.Config{})
	require.NoError(t, syncer.SignOut(t.Context(), "s1"))
	require.Equal(t, 1, w.user(t, "s1").SignedOut)
	w.pool.Delete("s1")
	require.NoError(t, syncer.SignOut(t.Context(), "s1"))
	require.ErrorIs(t, syncer.SignOut(t.Context(), "nobody"), userstore.ErrNotFound)
	require.False(t, strings.Contains(w.log.text(), "example.com"))
}
