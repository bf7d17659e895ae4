package emails_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/userstore"
)

// mutations are every change of an account that stands ready for it, each with the seq that the account has afterwards.
var mutations = []struct {
	name string
	seq  string
	run  func(ctx context.Context, s scene) error
}{
	{"create", "", func(ctx context.Context, s scene) error {
		_, err := s.users.Create(ctx, userstore.NewUser{UserID: "u2", Email: "u2@example.com", EmailVerified: true})
		return err
	}},
	{"update", "5", func(ctx context.Context, s scene) error {
		_, err := s.users.Update(ctx, "u1", userstore.Changes{FirstName: new("Ann"), ExpectedVersion: 1})
		return err
	}},
	{"suspend", "5", func(ctx context.Context, s scene) error { _, err := s.users.Suspend(ctx, "u1", "fraud"); return err }},
	{"delete", "5", func(ctx context.Context, s scene) error { _, err := s.users.Delete(ctx, "u1"); return err }},
	{"add", "5", func(ctx context.Context, s scene) error {
		_, err := s.emails.Add(ctx, "u1", "new@example.com")
		return err
	}},
	{"send_code", "4", func(ctx context.Context, s scene) error {
		_, err := s.emails.SendCode(ctx, "u1", s.third)
		return err
	}},
	{"confirm", "5", func(ctx context.Context, s scene) error {
		_, err := s.emails.Confirm(ctx, "u1", s.third, s.code)
		return err
	}},
	{"set_primary", "5", func(ctx context.Context, s scene) error {
		_, err := s.emails.SetPrimary(ctx, "u1", s.second)
		return err
	}},
	{"remove", "5", func(ctx context.Context, s scene) error { return s.emails.Remove(ctx, "u1", s.second) }},
}

// scene is an account u1 with a primary, a verified and an unverified address; its seq is 4.
type scene struct {
	users                *userstore.Store
	emails               *emails.Store
	first, second, third string // ids of the primary, the verified and the unverified address
	code, wrong          string // for the third
}

func newScene(t *testing.T, w *suite.World) scene {
	t.Helper()
	user := w.User(t, "u1")
	second := w.Verified(t, "u1", "second@example.com")
	third, err := w.Emails.Add(t.Context(), "u1", "third@example.com")
	require.NoError(t, err)
	return scene{
		users: w.Users, emails: w.Emails, first: user.PrimaryEmailID, second: second.EmailID, third: third.EmailID,
		code: w.Mail.Code(t, "third@example.com"), wrong: w.Mail.Wrong("third@example.com"),
	}
}

func isTransaction(op string) bool { return op == "TransactWriteItems" }

func TestReplyLostAfterTheCommit(t *testing.T) {
	t.Parallel()
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			s := newScene(t, w)
			w.Faults.Next(faults.LoseReply{}, isTransaction)
			require.NoError(t, m.run(t.Context(), s))
			require.Zero(t, w.Faults.Pending())
			if m.seq != "" {
				require.Equal(t, m.seq, w.Seq(t, "u1"), "written once")
			}
			require.Nil(t, w.Audit(t))
		})
	}
}

func TestNoReplyAtAllIsSaid(t *testing.T) {
	t.Parallel()
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			w := suite.New(t)
			s := newScene(t, w)
			once := dynamodb.New(w.Client.Options(), func(o *dynamodb.Options) { o.Retryer = aws.NopRetryer{} })
			var err error
			s.users, err = userstore.New(once, w.Config)
			require.NoError(t, err)
			s.emails, err = emails.New(once, w.Mail, suite.Secrets(), emails.Config{Store: w.Config})
			require.NoError(t, err)
			w.Faults.Next(faults.LoseReply{}, isTransaction)
			require.ErrorIs(t, m.run(t.Context(), s), userstore.ErrOutcomeUnknown)
			require.Nil(t, w.Audit(t))
		})
	}
}

func TestConflictsAndThrottlesAreResent(t *testing.T) {
	t.Parallel()
	for _, m := range mutations {
		for _, fault := range []faults.Fault{faults.Conflict{}, faults.PartConflict{}, faults.PartThrottle{}, faults.Throttle{}, faults.Internal{}, faults.LoseRequest{}} {
			t.Run(m.name+"/"+fault.Kind(), func(t *testing.T) {
				t.Parallel()
				w := suite.New(t)
				s := newScene(t, w)
				w.Faults.Next(fault, isTransaction)
				require.NoError(t, m.run(t.Context(), s))
				require.Zero(t, w.Faults.Pending())
				require.Nil(t, w.Audit(t))
			})
		}
	}
}
