package cognitosync

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/userstore"
)

func TestDrifts(t *testing.T) {
	t.Parallel()
	const address = "dana@example.com"
	user := func(change ...func(*poolUser)) *poolUser {
		u := &poolUser{Identity: Identity{UserID: "s1", Email: address, EmailVerified: true}, enabled: true, status: types.UserStatusTypeConfirmed}
		for _, c := range change {
			c(u)
		}
		return u
	}
	account := func(status userstore.Status, email string) *userstore.User {
		return &userstore.User{UserID: "s1", Status: status, Email: email}
	}
	disabled := func(u *poolUser) { u.enabled = false }
	federated := func(u *poolUser) { u.status, u.EmailVerified = types.UserStatusTypeExternalProvider, false }
	for name, c := range map[string]struct {
		pair pair
		want []Class
	}{
		"same":                        {pair{user(), account(userstore.Active, address)}, nil},
		"nothing":                     {pair{}, nil},
		"no_account":                  {pair{user(), nil}, []Class{PoolOnly}},
		"no_account_must_change":      {pair{user(func(u *poolUser) { u.status = types.UserStatusTypeForceChangePassword }), nil}, []Class{PoolOnly}},
		"no_account_not_confirmed":    {pair{user(func(u *poolUser) { u.status = types.UserStatusTypeUnconfirmed }), nil}, nil},
		"no_account_disabled":         {pair{user(disabled), nil}, nil},
		"no_user":                     {pair{nil, account(userstore.Active, address)}, []Class{TableOnly}},
		"no_user_suspended":           {pair{nil, account(userstore.Suspended, address)}, nil},
		"no_user_deleted":             {pair{nil, account(userstore.Deleted, address)}, nil},
		"suspended_and_enabled":       {pair{user(), account(userstore.Suspended, address)}, []Class{StillEnabled}},
		"deleted_and_enabled":         {pair{user(), account(userstore.Deleted, "other@example.com")}, []Class{StillEnabled}},
		"active_and_disabled":         {pair{user(disabled), account(userstore.Active, address)}, []Class{StillDisabled}},
		"other_address":               {pair{user(), account(userstore.Active, "other@example.com")}, []Class{AddressDiffers}},
		"both":                        {pair{user(), account(userstore.Suspended, "other@example.com")}, []Class{StillEnabled, AddressDiffers}},
		"unverified":                  {pair{user(func(u *poolUser) { u.EmailVerified = false }), account(userstore.Active, address)}, []Class{AddressDiffers}},
		"no_primary":                  {pair{user(), account(userstore.Active, "")}, nil},
		"federated_unverified":        {pair{user(federated), account(userstore.Active, address)}, nil},
		"federated_with_another":      {pair{user(federated), account(userstore.Active, "other@example.com")}, []Class{AddressDiffers}},
		"other_spelling":              {pair{user(func(u *poolUser) { u.Email = " Dana@EXAMPLE.com " }), account(userstore.Active, address)}, nil},
		"domain_in_unicode":           {pair{user(func(u *poolUser) { u.Email = "dana@bücher.example" }), account(userstore.Active, "dana@xn--bcher-kva.example")}, nil},
		"no_address_at_all":           {pair{user(func(u *poolUser) { u.Email = "" }), account(userstore.Active, address)}, []Class{AddressDiffers}},
		"deleted_and_disabled_purged": {pair{user(disabled), account(userstore.Deleted, "")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, c.pair.drifts())
			if c.pair.user != nil && c.pair.account != nil && c.pair.user.agrees(stateOf(c.pair.account)) {
				require.Empty(t, c.want, "what is passed over for sure has no drift")
			}
		})
	}
	require.True(t, user().agrees(stateOf(account(userstore.Active, address))))
	require.True(t, user(disabled).agrees(stateOf(account(userstore.Deleted, ""))))
}

func TestSettled(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(d time.Duration) pair {
		return pair{user: &poolUser{changed: now.Add(d)}, account: &userstore.User{UpdatedAt: now.Add(d)}}
	}
	require.True(t, at(0).settled(now))
	require.False(t, at(time.Second).settled(now))
	require.False(t, pair{user: at(time.Second).user}.settled(now), "a user who confirmed just now is in the trigger's hands")
	require.True(t, pair{user: at(time.Second).user, account: at(0).account}.settled(now), "with an account, that decides")
}

func TestRoster(t *testing.T) {
	t.Parallel()
	const n = 50_000
	seen := map[string]int{}
	passes := 0
	for w, more := fullWindow(), true; more; passes++ {
		r := newRoster(w, 4_000)
		for i := range n {
			r.add(fmt.Sprint(i), uint64(i))
			if i%3 == 0 {
				r.add(fmt.Sprint(i), uint64(i))
			}
		}
		r.seal()
		require.LessOrEqual(t, len(r.entries), 4_000)
		for i := range n {
			if state, found := r.find(fmt.Sprint(i)); found {
				require.EqualValues(t, i, state)
				seen[fmt.Sprint(i)]++
			}
		}
		_, found := r.find("stranger")
		require.False(t, found)
		w, more = r.window.after()
	}
	require.Len(t, seen, n, "every id is in a window")
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
	require.Less(t, passes, 2*n/2_000, "windows are at least half full")
	_, more := fullWindow().after()
	require.False(t, more)
	require.True(t, window{5, math.MaxUint64}.holds(math.MaxUint64))
}

func TestPacer(t *testing.T) {
	t.Parallel()
	errThrottled := errors.New("throttled")
	t.Run("spaces_calls_evenly", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := steadyPacer(4)
			started := time.Now()
			for range 9 {
				require.NoError(t, p.do(t.Context(), func() error { return nil }))
			}
			require.Equal(t, 2*time.Second, time.Since(started))
		})
	})
	t.Run("backs_off_for_everybody_and_gives_up", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			p := steadyPacer(100)
			p.passing = func(error) bool { return true }
			calls := 0
			started := time.Now()
			require.ErrorIs(t, p.do(t.Context(), func() error { calls++; return errThrottled }), errThrottled)
			require.Equal(t, 10, calls)
			require.Greater(t, time.Since(started), 9*500*time.Millisecond)
			require.Less(t, time.Since(started), 9*31*time.Second)
		})
	})
	t.Run("does_not_repeat_refusals", func(t *testing.T) {
		t.Parallel()
		calls := 0
		require.ErrorIs(t, directPacer().do(t.Context(), func() error { calls++; return errThrottled }), errThrottled)
		require.Equal(t, 1, calls)
	})
	t.Run("ends_with_its_context", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			started := time.Now()
			err := untilTheEnd(func(error) bool { return true }).do(ctx, func() error { return errThrottled })
			require.ErrorIs(t, err, errThrottled, "why it was still trying")
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, time.Second, time.Since(started))
		})
	})
}
