package usercore_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/emails"
	"github.com/usercore-go/usercore/httpapi"
	"github.com/usercore-go/usercore/internal/faults"
	"github.com/usercore-go/usercore/internal/suite"
	"github.com/usercore-go/usercore/outbox"
	"github.com/usercore-go/usercore/userstore"
)

// Markers are what no record, span, metric or error text may hold.
const (
	markedAddress = "marker-address@example.com"
	otherAddress  = "marker-second@example.com"
	markedName    = "Markername"
	markedPhone   = "+4930901820"
	markedReason  = "marker-reason"
)

// leaks runs operations and keeps the texts of their errors.
type leaks struct {
	*suite.World
	t    *testing.T
	mail map[string]bool // codes that were sent
	errs []string
}

// heard keeps an error that must be there.
func (l *leaks) heard(err, want error) {
	l.t.Helper()
	require.ErrorIs(l.t, err, want)
	l.errs = append(l.errs, err.Error())
}

// TestNothingLeaks plants markers in the operations on accounts and addresses, in sign-ups, reconciliation, publication, limits and requests,
// in successes, refusals and failures of DynamoDB, and finds none in what the library tells.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	seen := newSignals()
	l := &leaks{World: suite.New(t, suite.WithUsers(seen.observe), suite.WithAttempts(1)), t: t, mail: map[string]bool{}}

	l.accounts()
	l.addresses()
	l.failures()
	l.services(&services{World: l.World, seen: seen})

	told := seen.text(t) + strings.Join(l.errs, "\n")
	require.Contains(t, told, `"operation":"emails.confirm","outcome":"wrong_code"`)
	markers := []string{"marker-", "example.com", markedName, markedPhone, "CLAIM", "USER#"}
	for code := range l.mail {
		markers = append(markers, `"`+code+`"`, "code "+code, ": "+code)
	}
	for _, marker := range markers {
		require.NotContains(t, told, marker)
	}
}

// accounts calls userstore, with markers in every field.
func (l *leaks) accounts() {
	ctx, users, name, phone := l.t.Context(), l.Users, markedName, markedPhone
	in := userstore.NewUser{UserID: "u1", Email: markedAddress, EmailVerified: true, FirstName: name, LastName: name, Username: "marker-username"}
	_, err := users.Create(ctx, in)
	require.NoError(l.t, err)
	l.User(l.t, "u2")
	in.UserID = markedAddress // an address where an id belongs
	_, err = users.Create(ctx, in)
	l.heard(err, userstore.ErrInvalid)
	in.UserID = "u3"
	_, err = users.Create(ctx, in)
	l.heard(err, userstore.ErrTaken)
	_, err = users.GetByEmail(ctx, "marker-nobody@example.com")
	l.heard(err, userstore.ErrNotFound)
	_, err = users.Get(ctx, markedAddress)
	l.heard(err, userstore.ErrInvalid)
	_, err = users.Update(ctx, "u1", userstore.Changes{FirstName: &name, Phone: &phone})
	require.NoError(l.t, err)
	bad := name + "\x00"
	_, err = users.Update(ctx, "u1", userstore.Changes{FirstName: &bad})
	l.heard(err, userstore.ErrInvalid)
	_, err = users.Update(ctx, "u1", userstore.Changes{FirstName: &name, ExpectedVersion: 99})
	l.heard(err, userstore.ErrVersionConflict)
	_, err = users.Suspend(ctx, "u2", markedReason)
	require.NoError(l.t, err)
	_, err = users.Update(ctx, "u2", userstore.Changes{FirstName: &name})
	l.heard(err, userstore.ErrNotActive)
	_, err = users.Restore(ctx, "u2")
	l.heard(err, userstore.ErrStatus)
}

// addresses calls emails, with codes that are right, wrong and spent.
func (l *leaks) addresses() {
	ctx, addresses := l.t.Context(), l.Emails
	added, err := addresses.Add(ctx, "u1", otherAddress)
	require.NoError(l.t, err)
	code := l.Mail.Code(l.t, otherAddress)
	l.mail[code] = true
	_, err = addresses.Add(ctx, "u1", markedAddress)
	l.heard(err, emails.ErrTaken)
	_, err = addresses.Add(ctx, "u1", "marker-bad@")
	l.heard(err, userstore.ErrInvalid)
	wrong := "000000"
	if code == wrong {
		wrong = "111111"
	}
	l.mail[wrong] = true
	_, err = addresses.Confirm(ctx, "u1", added.EmailID, wrong)
	l.heard(err, emails.ErrWrongCode)
	for err = nil; err == nil; {
		_, err = addresses.SendCode(ctx, "u1", added.EmailID)
	}
	l.heard(err, emails.ErrLimited)
	_, err = addresses.SetPrimary(ctx, "u1", added.EmailID)
	l.heard(err, emails.ErrNotVerified)
	_, err = addresses.Confirm(ctx, "u1", added.EmailID, code)
	require.NoError(l.t, err)
	_, err = addresses.SetPrimary(ctx, "u1", added.EmailID)
	require.NoError(l.t, err)
	l.heard(addresses.Remove(ctx, "u1", added.EmailID), emails.ErrPrimary)
}

// failures lets DynamoDB fail under each kind of request.
func (l *leaks) failures() {
	ctx, name := l.t.Context(), markedName+"s"
	for _, fault := range []faults.Fault{faults.Throttle{}, faults.Internal{}, faults.LoseReply{}} {
		l.Faults.Next(fault, faults.Ops("GetItem"))
		_, err := l.Users.GetByEmail(ctx, otherAddress)
		l.heard(err, userstore.ErrUnavailable)
		l.Faults.Next(fault, faults.Ops("Query"))
		_, err = l.Emails.Holders(ctx, otherAddress)
		l.heard(err, userstore.ErrUnavailable)
	}
	l.Faults.Next(faults.LoseReply{}, faults.Ops("TransactWriteItems"))
	_, err := l.Users.Update(ctx, "u1", userstore.Changes{LastName: &name})
	l.heard(err, userstore.ErrOutcomeUnknown)
	require.False(l.t, errors.Is(err, userstore.ErrContention))
	require.Zero(l.t, l.Faults.Pending())
}

// services drives what stands around accounts and addresses.
func (l *leaks) services(s *services) {
	require.NoError(l.t, s.confirm(l.t, markedAddress, queue{}))
	err := s.confirm(l.t, markedAddress, queue{err: errors.New("the queue is down")})
	require.Error(l.t, err)
	l.errs = append(l.errs, err.Error())
	s.reconcile(l.t)
	l.heard(s.suspend(l.t), cognitosync.ErrPending)
	require.NoError(l.t, s.relay(l.t, publisher{result: outbox.Result{Outcome: outbox.Rejected, Code: "TooLarge"}}))
	require.False(l.t, s.limit(l.t, s.Plain()).Allowed)
	l.Faults.Next(faults.Throttle{}, faults.Ops("UpdateItem"))
	s.limit(l.t, l.Client)
	require.Zero(l.t, l.Faults.Pending())
	require.Equal(l.t, http.StatusOK, s.request(l.t, authenticator{identity: httpapi.Identity{UserID: "u1"}}))
	s.request(l.t, authenticator{err: httpapi.ErrUnauthenticated})
}
