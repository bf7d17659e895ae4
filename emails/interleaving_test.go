package emails_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// between stops the next transaction of call after its read, lets something happen, and lets it go on.
func between(w *suite.World, call func() error, happens func()) error {
	release, arrived := w.Faults.Hold(isTransaction)
	done := make(chan error, 1)
	go func() { done <- call() }()
	defer release()
	select {
	case <-arrived:
	case err := <-done:
		return fmt.Errorf("the call ended before it wrote anything: %v", err)
	}
	happens()
	release()
	return <-done
}

// TestInterleavings plays what can happen between the read and the write of an operation, each with the one right answer.
func TestInterleavings(t *testing.T) {
	t.Parallel()
	type play struct {
		name string
		// before sets the scene, call is stopped before its first transaction, and happens comes in between.
		before, happens func(t *testing.T, w *suite.World, s scene)
		call            func(t *testing.T, w *suite.World, s scene) error
		want            error
	}
	add := func(id, address string) func(*testing.T, *suite.World, scene) error {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Emails.Add(t.Context(), id, address)
			return err
		}
	}
	does := func(calls ...func(*testing.T, *suite.World, scene) error) func(*testing.T, *suite.World, scene) {
		return func(t *testing.T, w *suite.World, s scene) {
			for _, call := range calls {
				require.NoError(t, call(t, w, s))
			}
		}
	}
	create := func(id, address string) func(*testing.T, *suite.World, scene) error {
		return func(t *testing.T, w *suite.World, _ scene) error {
			_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: id, Email: address, EmailVerified: true})
			return err
		}
	}
	suspend := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Suspend(t.Context(), "u1", "fraud")
		return err
	}
	later := func(d time.Duration) func(*testing.T, *suite.World, scene) error {
		return func(_ *testing.T, w *suite.World, _ scene) error { w.Clock.Advance(d); return nil }
	}
	sendThird := func(t *testing.T, w *suite.World, s scene) error {
		_, err := w.Emails.SendCode(t.Context(), "u1", s.third)
		return err
	}
	confirmThird := func(t *testing.T, w *suite.World, s scene) error {
		_, err := w.Emails.Confirm(t.Context(), "u1", s.third, w.Mail.Code(t, "third@example.com"))
		return err
	}
	removeThird := func(t *testing.T, w *suite.World, s scene) error { return w.Emails.Remove(t.Context(), "u1", s.third) }
	removeSecond := func(t *testing.T, w *suite.World, s scene) error { return w.Emails.Remove(t.Context(), "u1", s.second) }
	primarySecond := func(t *testing.T, w *suite.World, s scene) error {
		_, err := w.Emails.SetPrimary(t.Context(), "u1", s.second)
		return err
	}
	primaryFirst := func(t *testing.T, w *suite.World, s scene) error {
		_, err := w.Emails.SetPrimary(t.Context(), "u1", s.first)
		return err
	}
	update := func(t *testing.T, w *suite.World, _ scene) error {
		_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{FirstName: new("Ann")})
		return err
	}
	lapse := later(24 * time.Hour)

	for _, p := range []play{
		{"add/account_suspended", nil, does(suspend), add("u1", "new@example.com"), userstore.ErrNotActive},
		{"add/account_changed", nil, does(update), add("u1", "new@example.com"), nil},
		{"add/address_claimed", nil, does(create("u2", "new@example.com")), add("u1", "new@example.com"), emails.ErrTaken},
		{"add/filled_up", nil, does(add("u1", "a@example.com"), add("u1", "b@example.com")), add("u1", "new@example.com"), emails.ErrTooMany},

		{"takeover/holder_changed", does(create("u2", "u2@example.com"), lapse), does(update), add("u2", "third@example.com"), nil},
		{"takeover/holder_verified", does(create("u2", "u2@example.com"), later(23*time.Hour+50*time.Minute), sendThird, later(10*time.Minute)), does(confirmThird), add("u2", "third@example.com"), emails.ErrTaken},
		{"takeover/holder_removed", does(create("u2", "u2@example.com"), lapse), does(removeThird), add("u2", "third@example.com"), nil},
		{"takeover/somebody_was_faster", does(create("u2", "u2@example.com"), create("u3", "u3@example.com"), lapse), does(add("u3", "third@example.com")), add("u2", "third@example.com"), emails.ErrTaken},
		{"takeover/somebody_was_faster_and_lapsed", does(create("u2", "u2@example.com"), create("u3", "u3@example.com"), lapse), does(add("u3", "third@example.com"), lapse), add("u2", "third@example.com"), nil},

		{"send_fresh/account_suspended", does(later(time.Hour)), does(suspend), sendThird, userstore.ErrNotActive},
		{"send_fresh/address_removed", does(later(time.Hour)), does(removeThird), sendThird, emails.ErrNotFound},
		{"send_fresh/another_was_sent", does(later(time.Hour)), does(sendThird), sendThird, nil},

		{"confirm/address_removed", nil, does(removeThird), confirmThird, emails.ErrNotFound},
		{"confirm/account_suspended", nil, does(suspend), confirmThird, userstore.ErrNotActive},
		{"confirm/confirmed_meanwhile", nil, does(confirmThird), confirmThird, nil},

		{"primary/account_suspended", nil, does(suspend), primarySecond, userstore.ErrNotActive},
		{"primary/address_removed", nil, does(removeSecond), primarySecond, emails.ErrNotFound},
		{"primary/same_meanwhile", nil, does(primarySecond), primarySecond, nil},
		{"primary/old_one_removed", nil, does(confirmThird, primaryThird, removeFirst), primarySecond, nil},

		{"remove/account_suspended", nil, does(suspend), removeSecond, userstore.ErrNotActive},
		{"remove/removed_meanwhile", nil, does(removeSecond), removeSecond, emails.ErrNotFound},
		{"remove/became_primary", nil, does(primarySecond), removeSecond, emails.ErrPrimary},
		{"remove/became_last", does(confirmThird, primaryThird, removeFirst), does(primarySecond, removeThird), removeSecond, emails.ErrLast},
		{"remove/verified_meanwhile", nil, does(confirmThird), removeThird, nil},
		{"primary/and_back", nil, does(primarySecond, primaryFirst), primarySecond, nil},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			s := newScene(t, w)
			if p.before != nil {
				p.before(t, w, s)
			}
			err := between(w, func() error { return p.call(t, w, s) }, func() { p.happens(t, w, s) })
			require.ErrorIs(t, err, p.want)
			if p.want == nil {
				require.NoError(t, err)
			}
			require.Nil(t, w.Audit(t))
		})
	}
}

func primaryThird(t *testing.T, w *suite.World, s scene) error {
	_, err := w.Emails.SetPrimary(t.Context(), "u1", s.third)
	return err
}

func removeFirst(t *testing.T, w *suite.World, s scene) error {
	return w.Emails.Remove(t.Context(), "u1", s.first)
}

// TestConfirmJudgesTheAccountFirst is for a right code that finds its address verified meanwhile and the account erased after that.
func TestConfirmJudgesTheAccountFirst(t *testing.T) {
	t.Parallel()
	w := suite.New(t)
	s := newScene(t, w)
	confirm := func() error {
		_, err := w.Emails.Confirm(t.Context(), "u1", s.third, s.code)
		return err
	}
	counted, counting := w.Faults.Hold(isTransaction)
	defer counted()
	done := make(chan error, 1)
	go func() { done <- confirm() }()
	<-counting
	verify, verifying := w.Faults.Hold(isTransaction)
	defer verify()
	counted()
	<-verifying
	require.NoError(t, confirm())
	read, reading := w.Faults.Hold(faults.Ops("Query"))
	defer read()
	verify()
	<-reading
	require.NoError(t, w.Users.Erase(t.Context(), "u1"))
	read()
	require.ErrorIs(t, <-done, userstore.ErrNotActive)
	require.Nil(t, w.Audit(t))
}
