package emails_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

func TestManyAccountsAddOneAddress(t *testing.T) {
	suite.Race{
		Needs: []string{"Put CLAIM"},
		Run: func(t testing.TB, w *suite.World) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			suite.Parallel(200, func(i int) error { w.User(t, fmt.Sprint("u", i)); return nil })
			return suite.Exactly(suite.Parallel(200, func(i int) error {
				_, err := w.Emails.Add(ctx, fmt.Sprint("u", i), "one@example.com")
				return err
			}), 1, emails.ErrTaken)
		},
	}.Check(t)
}

func TestManyAccountsTakeOverOneAddress(t *testing.T) {
	suite.Race{
		Needs: []string{"Put CLAIM", "Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "squatter")
			if _, err := w.Emails.Add(t.Context(), "squatter", "one@example.com"); err != nil {
				return err
			}
			w.Clock.Advance(24 * time.Hour)
			suite.Parallel(50, func(i int) error { w.User(t, fmt.Sprint("u", i)); return nil })
			err := suite.Exactly(suite.Parallel(51, func(i int) error {
				if i == 50 { // the squatter's account changes meanwhile
					_, err := w.Users.Update(t.Context(), "squatter", userstore.Changes{FirstName: new("Sam")})
					return err
				}
				_, err := w.Emails.Add(t.Context(), fmt.Sprint("u", i), "one@example.com")
				return err
			}), 2, emails.ErrTaken)
			if seq := w.Seq(t, "squatter"); err == nil && seq != "4" {
				err = fmt.Errorf("seq is %s after create, add, update and losing the address", seq)
			}
			return err
		},
	}.Check(t)
}

func TestAddsAtTheLimitOfFive(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			for i := range 3 {
				if _, err := w.Emails.Add(t.Context(), "u1", fmt.Sprintf("a%d@example.com", i)); err != nil {
					return err
				}
			}
			return suite.Exactly(suite.Parallel(10, func(i int) error {
				_, err := w.Emails.Add(t.Context(), "u1", fmt.Sprintf("b%d@example.com", i))
				return err
			}), 1, emails.ErrTooMany)
		},
	}.Check(t)
}

func TestParallelSetPrimary(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			ids := []string{w.User(t, "u1").PrimaryEmailID}
			for i := range 4 {
				ids = append(ids, w.Verified(t, "u1", fmt.Sprintf("a%d@example.com", i)).EmailID)
			}
			stop, seen := make(chan struct{}), make(chan error)
			go func() { seen <- watchPrimaries(t, w, ids, stop) }()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			errs := suite.Parallel(100, func(i int) error {
				_, err := w.Emails.SetPrimary(ctx, "u1", ids[i%5])
				return err
			})
			close(stop)
			return errors.Join(<-seen, suite.Exactly(errs, 100, nil))
		},
	}.Check(t)
}

// watchPrimaries looks until it is stopped, and returns an error when there was not exactly one primary address.
func watchPrimaries(t testing.TB, w *suite.World, ids []string, stop <-chan struct{}) error {
	for looks := 0; ; looks++ {
		marked, named := w.Primaries(t, "u1", ids)
		if marked != 1 || !named {
			return fmt.Errorf("look %d: %d primary addresses, named by the profile: %v", looks, marked, named)
		}
		select {
		case <-stop:
			return nil
		default:
		}
	}
}

func TestSetPrimaryAgainstRemove(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			second := w.Verified(t, "u1", "second@example.com")
			errs := suite.Parallel(2, func(i int) error {
				if i == 0 {
					_, err := w.Emails.SetPrimary(t.Context(), "u1", second.EmailID)
					return err
				}
				return w.Emails.Remove(t.Context(), "u1", second.EmailID)
			})
			switch {
			case errs[0] == nil && errors.Is(errs[1], emails.ErrPrimary), errors.Is(errs[0], emails.ErrNotFound) && errs[1] == nil:
				return nil
			}
			return fmt.Errorf("set primary: %v; remove: %v", errs[0], errs[1])
		},
	}.Check(t)
}

func TestConfirmAgainstRemove(t *testing.T) {
	suite.Race{
		Needs: []string{"Update EMAIL"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			added, err := w.Emails.Add(t.Context(), "u1", "second@example.com")
			if err != nil {
				return err
			}
			code := w.Mail.Code(t, "second@example.com")
			errs := suite.Parallel(2, func(i int) error {
				if i == 0 {
					_, err := w.Emails.Confirm(t.Context(), "u1", added.EmailID, code)
					return err
				}
				return w.Emails.Remove(t.Context(), "u1", added.EmailID)
			})
			if errs[1] != nil || errs[0] != nil && !errors.Is(errs[0], emails.ErrNotFound) {
				return fmt.Errorf("confirm: %v; remove: %v", errs[0], errs[1])
			}
			return nil
		},
	}.Check(t)
}

func TestWrongCodesInParallel(t *testing.T) {
	run := func(t testing.TB, w *suite.World) error {
		w.User(t, "u1")
		added, err := w.Emails.Add(t.Context(), "u1", "second@example.com")
		if err != nil {
			return err
		}
		wrong := w.Mail.Wrong("second@example.com")
		errs := suite.Parallel(50, func(int) error {
			_, err := w.Emails.Confirm(t.Context(), "u1", added.EmailID, wrong)
			return err
		})
		_, compared, other := suite.Count(slices.DeleteFunc(errs, func(err error) bool {
			return errors.Is(err, emails.ErrTooManyAttempts)
		}), emails.ErrWrongCode)
		if other == nil && compared != 5 {
			other = fmt.Errorf("%d comparisons", compared)
		}
		return other
	}
	t.Run("attempts_of_the_code", func(t *testing.T) { suite.Race{Run: run}.Check(t) })
	t.Run("budget_of_the_account", func(t *testing.T) {
		suite.Race{
			Needs:   []string{"Put BUDGET"},
			Options: []suite.Option{suite.WithEmails(func(c *emails.Config) { c.Attempts, c.AttemptsPerHour = 100, 5 })},
			Run:     run,
		}.Check(t)
	})
}

func TestRightCodeInParallel(t *testing.T) {
	suite.Race{
		Needs: []string{"Update EMAIL"},
		Options: []suite.Option{suite.WithEmails(func(c *emails.Config) {
			c.Attempts, c.AttemptsPerHour, c.AttemptsPerDay = 50, 50, 50
		})},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			added, err := w.Emails.Add(t.Context(), "u1", "second@example.com")
			if err != nil {
				return err
			}
			code := w.Mail.Code(t, "second@example.com")
			errs := suite.Parallel(20, func(int) error {
				_, err := w.Emails.Confirm(t.Context(), "u1", added.EmailID, code)
				return err
			})
			if err := suite.Exactly(errs, 20, nil); err != nil {
				return err
			}
			if seq := w.Seq(t, "u1"); seq != "3" {
				return fmt.Errorf("seq is %s after create, add and one confirmation", seq)
			}
			return nil
		},
	}.Check(t)
}

func TestSuspendAgainstEverything(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			second := w.Verified(t, "u1", "second@example.com")
			third := w.Verified(t, "u1", "third@example.com")
			fourth, err := w.Emails.Add(t.Context(), "u1", "fourth@example.com")
			if err != nil {
				return err
			}
			code := w.Mail.Code(t, "fourth@example.com")
			ctx := t.Context()
			before := 7 // create 1, three adds, two confirmations, and the suspension to come
			operations := []func() error{
				func() error { _, err := w.Users.Suspend(ctx, "u1", "fraud"); return err },
				func() error { _, err := w.Emails.Add(ctx, "u1", "fifth@example.com"); return err },
				func() error { _, err := w.Emails.Confirm(ctx, "u1", fourth.EmailID, code); return err },
				func() error { _, err := w.Emails.SetPrimary(ctx, "u1", second.EmailID); return err },
				func() error { return w.Emails.Remove(ctx, "u1", third.EmailID) },
				func() error {
					_, err := w.Users.Update(ctx, "u1", userstore.Changes{FirstName: new("Eve")})
					return err
				},
			}
			errs := suite.Parallel(len(operations), func(i int) error { return operations[i]() })
			if errs[0] != nil {
				return errs[0]
			}
			done, _, other := suite.Count(errs[1:], userstore.ErrNotActive)
			if seq := w.Seq(t, "u1"); other == nil && seq != fmt.Sprint(before+done) {
				other = fmt.Errorf("seq is %s after %d changes", seq, before+done)
			}
			return other
		},
	}.Check(t)
}
