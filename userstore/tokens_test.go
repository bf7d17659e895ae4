package userstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

func TestRevokeTokens(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	w.Clock.Advance(90 * time.Minute)
	user, err := w.Users.RevokeTokens(t.Context(), "u1")
	require.NoError(t, err)
	require.Equal(t, w.Clock.Now(), user.TokensValidAfter)
	require.EqualValues(t, 1, user.Version, "no visible field moved")
	_, err = w.Users.Delete(t.Context(), "u1")
	require.NoError(t, err)
	_, err = w.Users.RevokeTokens(t.Context(), "u1")
	require.ErrorIs(t, err, userstore.ErrStatus)
}

func TestAClockBehindMakesNoTokensValidAgain(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	w.User(t, "u1")
	revoked, err := w.Users.RevokeTokens(t.Context(), "u1")
	require.NoError(t, err)
	w.Clock.Advance(-time.Hour)
	for name, change := range map[string]func() (*userstore.User, error){
		"revoke":  func() (*userstore.User, error) { return w.Users.RevokeTokens(t.Context(), "u1") },
		"suspend": func() (*userstore.User, error) { return w.Users.Suspend(t.Context(), "u1", "") },
		"delete":  func() (*userstore.User, error) { return w.Users.Delete(t.Context(), "u1") },
	} {
		user, err := change()
		require.NoError(t, err, name)
		require.Equal(t, revoked.TokensValidAfter, user.TokensValidAfter, name)
		if user.Status == userstore.Deleted {
			_, err = w.Users.Restore(t.Context(), "u1")
			require.NoError(t, err)
		}
	}
}

func TestRevokeAllTokens(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	never, err := w.Users.TokensValidAfter(t.Context())
	require.NoError(t, err)
	require.Zero(t, never)
	w.Clock.Advance(500 * time.Millisecond)
	first, err := w.Users.RevokeAllTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, w.Clock.Now().Add(500*time.Millisecond), first, "the next whole second")
	w.Clock.Advance(-time.Hour)
	second, err := w.Users.RevokeAllTokens(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, second, "a clock that is behind moves nothing back")
	stored, err := w.Users.TokensValidAfter(t.Context())
	require.NoError(t, err)
	require.Equal(t, first, stored)
	require.Nil(t, w.Audit(t))
}

func TestCachedTokensValidAfter(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	isGet := faults.Ops("GetItem")
	fail := func() {
		for range 5 { // as many as the SDK tries
			w.Faults.Next(faults.Internal{}, isGet)
		}
	}
	cutoff := w.Users.CachedTokensValidAfter(10 * time.Second)
	fail()
	_, err := cutoff(t.Context())
	require.Error(t, err, "nothing is known yet")
	_, err = cutoff(t.Context())
	require.NoError(t, err)
	want, err := w.Users.RevokeAllTokens(t.Context())
	require.NoError(t, err)
	require.Zero(t, w.Requests(func() {
		got, err := cutoff(t.Context())
		require.NoError(t, err)
		require.Zero(t, got, "not yet seen")
	}))
	w.Clock.Advance(10 * time.Second)
	got, err := cutoff(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
	w.Clock.Advance(10 * time.Second)
	fail()
	got, err = cutoff(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got, "what was known stays in force")
}

// TestCachedTokensValidAfterHasNoQueue: a read that hangs holds up the call that makes it, and nobody else.
func TestCachedTokensValidAfterHasNoQueue(t *testing.T) {
	t.Parallel()
	w := suite.New(t, suite.WithAttempts(1))
	want, err := w.Users.RevokeAllTokens(t.Context())
	require.NoError(t, err)
	cutoff := w.Users.CachedTokensValidAfter(10 * time.Second)
	_, err = cutoff(t.Context())
	require.NoError(t, err)
	w.Clock.Advance(10 * time.Second)

	release, arrived := w.Faults.Hold(faults.Ops("GetItem"))
	w.Faults.Next(faults.Internal{}, faults.Ops("GetItem"))
	type answer struct {
		cutoff time.Time
		err    error
	}
	ask := func() <-chan answer {
		answers := make(chan answer, 1)
		go func() {
			got, err := cutoff(t.Context())
			answers <- answer{got, err}
		}()
		return answers
	}
	hanging := ask()
	<-arrived
	require.Zero(t, w.Requests(func() {
		select {
		case got := <-ask():
			require.Equal(t, answer{want, nil}, got)
		case <-time.After(10 * time.Second):
			release()
			require.Fail(t, "a call waits for the read of another one")
		}
	}))
	w.Clock.Advance(time.Minute)
	release()
	require.Equal(t, answer{want, nil}, <-hanging, "what was known stays in force")
	require.Zero(t, w.Requests(func() { _, err = cutoff(t.Context()) }), "the next read is an interval after the failed one")
	require.NoError(t, err)
}

func TestCachedTokensValidAfterIsNotKeptOldByCallersThatGiveUp(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	cutoff := w.Users.CachedTokensValidAfter(10 * time.Second)
	_, err := cutoff(t.Context())
	require.NoError(t, err)
	want, err := w.Users.RevokeAllTokens(t.Context())
	require.NoError(t, err)
	w.Clock.Advance(10 * time.Second)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	got, err := cutoff(gone)
	require.NoError(t, err)
	require.Zero(t, got)
	got, err = cutoff(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}
