package userstore_test

import (
	"fmt"
	"testing"

	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

func TestParallelCreatesOfOneUser(t *testing.T) {
	suite.Race{
		Needs: []string{"Put PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			ids := make([]string, 64)
			errs := suite.Parallel(64, func(i int) error {
				user, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u1", Email: "u1@example.com", EmailVerified: true})
				if err == nil {
					ids[i] = user.PrimaryEmailID
				}
				return err
			})
			for _, id := range ids {
				if id != ids[0] {
					return fmt.Errorf("callers got different users")
				}
			}
			return suite.Exactly(errs, 64, nil)
		},
	}.Check(t)
}

func TestParallelCreatesWithOneAddress(t *testing.T) {
	suite.Race{
		Needs: []string{"Put CLAIM"},
		Run: func(t testing.TB, w *suite.World) error {
			return suite.Exactly(suite.Parallel(50, func(i int) error {
				_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: fmt.Sprint("u", i), Email: "one@example.com", EmailVerified: true})
				return err
			}), 1, userstore.ErrTaken)
		},
	}.Check(t)
}

func TestCreateAgainstAdd(t *testing.T) {
	suite.Race{
		Needs: []string{"Put CLAIM"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			return suite.Exactly(suite.Parallel(2, func(i int) error {
				if i == 0 {
					_, err := w.Emails.Add(t.Context(), "u1", "one@example.com")
					return err
				}
				_, err := w.Users.Create(t.Context(), userstore.NewUser{UserID: "u2", Email: "one@example.com", EmailVerified: true})
				return err
			}), 1, userstore.ErrTaken)
		},
	}.Check(t)
}

func TestParallelUpdatesOfOneVersion(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			user := w.User(t, "u1")
			return suite.Exactly(suite.Parallel(50, func(i int) error {
				phone := fmt.Sprintf("+1415555%04d", i)
				_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{Phone: &phone, ExpectedVersion: user.Version})
				return err
			}), 1, userstore.ErrVersionConflict)
		},
	}.Check(t)
}

func TestParallelUpdatesLoseNothing(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			errs := suite.Parallel(30, func(i int) error {
				phone := fmt.Sprintf("+1415555%04d", i)
				_, err := w.Users.Update(t.Context(), "u1", userstore.Changes{Phone: &phone})
				return err
			})
			if err := suite.Exactly(errs, 30, nil); err != nil {
				return err
			}
			user, err := w.Users.Get(t.Context(), "u1")
			if err == nil && user.Version != 31 {
				err = fmt.Errorf("version %d after 30 updates", user.Version)
			}
			return err
		},
	}.Check(t)
}

func TestSuspendAgainstDelete(t *testing.T) {
	suite.Race{
		Needs: []string{"Update PROFILE"},
		Run: func(t testing.TB, w *suite.World) error {
			w.User(t, "u1")
			errs := suite.Parallel(20, func(i int) error {
				if i%2 == 0 {
					_, err := w.Users.Suspend(t.Context(), "u1", "fraud")
					return err
				}
				_, err := w.Users.Delete(t.Context(), "u1")
				return err
			})
			if _, _, err := suite.Count(errs, userstore.ErrStatus); err != nil {
				return err
			}
			user, err := w.Users.Get(t.Context(), "u1")
			if err != nil {
				return err
			}
			changes := 1 // deleted, once
			if !user.SuspendedAt.IsZero() {
				changes++
			}
			if seq := w.Seq(t, "u1"); user.Status != userstore.Deleted || seq != fmt.Sprint(1+changes) {
				return fmt.Errorf("status %s and seq %s after %d changes", user.Status, seq, changes)
			}
			return nil
		},
	}.Check(t)
}
