package emails_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// TestRequests counts what each operation of both packages sends to DynamoDB, on success and on each error.
func TestRequests(t *testing.T) {
	t.Parallel()
	type call func(t *testing.T, w *suite.World, s scene) error
	create := func(id, address string) call {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: id, Email: address, EmailVerified: true})
			return err
		}
	}
	update := func(id string, c userstore.Changes) call {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Users.Update(t.Context(), id, c)
			return err
		}
	}
	byEmail := func(address string) call {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Users.GetByEmail(t.Context(), address)
			return err
		}
	}
	add := func(id, address string) call {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Emails.Add(t.Context(), id, address)
			return err
		}
	}
	send := func(row func(scene) string) call {
		return func(t *testing.T, w *suite.World, s scene) error {
			_, err := w.Emails.SendCode(t.Context(), "u1", row(s))
			return err
		}
	}
	confirm := func(row, code func(scene) string) call {
		return func(t *testing.T, w *suite.World, s scene) error {
			_, err := w.Emails.Confirm(t.Context(), "u1", row(s), code(s))
			return err
		}
	}
	primary := func(row func(scene) string) call {
		return func(t *testing.T, w *suite.World, s scene) error {
			_, err := w.Emails.SetPrimary(t.Context(), "u1", row(s))
			return err
		}
	}
	remove := func(row func(scene) string) call {
		return func(t *testing.T, w *suite.World, s scene) error { return w.Emails.Remove(t.Context(), "u1", row(s)) }
	}
	second := func(s scene) string { return s.second }
	third := func(s scene) string { return s.third }
	first := func(s scene) string { return s.first }
	none := func(scene) string { return "none" }
	right := func(s scene) string { return s.code }
	wrong := func(s scene) string { return s.wrong }
	suspend := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Suspend(t.Context(), "u1", "fraud")
		return err
	}
	del := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Delete(t.Context(), "u1")
		return err
	}
	restore := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Restore(t.Context(), "u1")
		return err
	}
	reinstate := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Reinstate(t.Context(), "u1")
		return err
	}
	purge := func(t *testing.T, w *suite.World, _ scene) error { return w.Users.Purge(t.Context(), "u1") }
	later := func(d time.Duration) call {
		return func(_ *testing.T, w *suite.World, _ scene) error { w.Clock.Advance(d); return nil }
	}
	month := 30 * 24 * time.Hour

	for _, c := range []struct {
		name     string
		before   []call
		call     call
		requests int
		err      error
	}{
		{"create", nil, create("u2", "u2@example.com"), 1, nil},
		{"create_repeated", nil, create("u1", "u1@example.com"), 2, nil},
		{"create_exists", nil, create("u1", "u2@example.com"), 2, userstore.ErrExists},
		{"create_taken", nil, create("u2", "u1@example.com"), 1, userstore.ErrTaken},
		{"create_takes_over", []call{later(24 * time.Hour)}, create("u2", "third@example.com"), 3, nil},
		{"create_invalid", nil, create("", ""), 0, userstore.ErrInvalid},
		{"get_by_email", nil, byEmail("u1@example.com"), 2, nil},
		{"get_by_email_unverified", nil, byEmail("third@example.com"), 1, userstore.ErrNotFound},
		{"get_by_email_free", nil, byEmail("none@example.com"), 1, userstore.ErrNotFound},
		{"get_by_email_deleted", []call{del}, byEmail("u1@example.com"), 2, userstore.ErrNotFound},
		{"update", nil, update("u1", userstore.Changes{FirstName: new("Ann")}), 2, nil},
		{"update_no_difference", nil, update("u1", userstore.Changes{FirstName: new("Dana")}), 1, nil},
		{"update_version", nil, update("u1", userstore.Changes{FirstName: new("Ann"), ExpectedVersion: 9}), 1, userstore.ErrVersionConflict},
		{"update_nobody", nil, update("u9", userstore.Changes{FirstName: new("Ann")}), 1, userstore.ErrNotFound},
		{"update_suspended", []call{suspend}, update("u1", userstore.Changes{FirstName: new("Ann")}), 1, userstore.ErrNotActive},
		{"update_invalid", nil, update("u1", userstore.Changes{FirstName: new("")}), 0, userstore.ErrInvalid},
		{"suspend", nil, suspend, 2, nil},
		{"suspend_repeated", []call{suspend}, suspend, 1, nil},
		{"suspend_deleted", []call{del}, suspend, 1, userstore.ErrStatus},
		{"reinstate", []call{suspend}, reinstate, 2, nil},
		{"reinstate_active", nil, reinstate, 1, nil},
		{"delete", nil, del, 2, nil},
		{"delete_repeated", []call{del}, del, 1, nil},
		{"restore", []call{del}, restore, 2, nil},
		{"restore_active", nil, restore, 1, userstore.ErrStatus},
		{"purge", []call{del, later(month)}, purge, 2, nil},
		{"purge_repeated", []call{del, later(month), purge}, purge, 1, nil},
		{"purge_retained", []call{del}, purge, 1, userstore.ErrStatus},
		{"add", nil, add("u1", "new@example.com"), 2, nil},
		{"add_own", nil, add("u1", "u1@example.com"), 2, emails.ErrTaken},
		{"add_pending", nil, add("u1", "third@example.com"), 2, emails.ErrTaken},
		{"add_others", []call{create("u2", "u2@example.com")}, add("u1", "u2@example.com"), 2, emails.ErrTaken},
		{"add_takes_over", []call{create("u2", "u2@example.com"), later(24 * time.Hour)}, add("u2", "third@example.com"), 4, nil},
		{"add_too_many", []call{add("u1", "a@example.com"), add("u1", "b@example.com")}, add("u1", "c@example.com"), 1, emails.ErrTooMany},
		{"add_limited", []call{send(third), send(third), remove(third)}, add("u1", "third@example.com"), 2, emails.ErrLimited},
		{"add_suspended", []call{suspend}, add("u1", "new@example.com"), 1, userstore.ErrNotActive},
		{"send_same_code", nil, send(third), 2, nil},
		{"send_fresh_code", []call{later(time.Hour)}, send(third), 2, nil},
		{"send_limited", []call{send(third), send(third)}, send(third), 2, emails.ErrLimited},
		{"send_verified", nil, send(second), 1, emails.ErrAlreadyVerified},
		{"send_unknown", nil, send(none), 1, emails.ErrNotFound},
		{"confirm_right", nil, confirm(third, right), 3, nil},
		{"confirm_wrong", nil, confirm(third, wrong), 2, emails.ErrWrongCode},
		{"confirm_verified", nil, confirm(second, wrong), 1, nil},
		{"confirm_expired", []call{later(time.Hour)}, confirm(third, right), 1, emails.ErrCodeExpired},
		{"confirm_unknown", nil, confirm(none, right), 1, emails.ErrNotFound},
		{"confirm_malformed", nil, confirm(third, none), 0, userstore.ErrInvalid},
		{"set_primary", nil, primary(second), 2, nil},
		{"set_primary_again", nil, primary(first), 1, nil},
		{"set_primary_unverified", nil, primary(third), 1, emails.ErrNotVerified},
		{"set_primary_unknown", nil, primary(none), 1, emails.ErrNotFound},
		{"remove_verified", nil, remove(second), 2, nil},
		{"remove_unverified", nil, remove(third), 2, nil},
		{"remove_primary", nil, remove(first), 1, emails.ErrPrimary},
		{"remove_last", []call{remove(second), remove(third)}, remove(first), 1, emails.ErrLast},
		{"remove_unknown", nil, remove(none), 1, emails.ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			s := newScene(t, w)
			for _, before := range c.before {
				require.NoError(t, before(t, w, s))
			}
			var err error
			require.Equal(t, c.requests, w.Requests(func() { err = c.call(t, w, s) }))
			require.ErrorIs(t, err, c.err)
			require.Nil(t, w.Audit(t))
		})
	}
}

func TestLoadedSavesTheRead(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	user := w.User(t, "u1")
	require.Equal(t, 1, w.Requests(func() {
		_, err := w.Emails.Add(t.Context(), "u1", "new@example.com", userstore.Loaded(user))
		require.NoError(t, err)
	}))
	require.Equal(t, 2, w.Requests(func() {
		_, err := w.Users.Suspend(t.Context(), "u1", "", userstore.Loaded(user))
		require.NoError(t, err, "an old user costs a second try")
	}))
	require.Equal(t, 1, w.Requests(func() {
		_, err := w.Emails.Add(t.Context(), "u1", "newer@example.com", userstore.Loaded(user))
		require.ErrorIs(t, err, userstore.ErrNotActive)
	}), "the refused write brings the account as it is back")
}
